# Writes OUT, a C++ source with the content of each file of ASSETS as a string constant:
#   cmake -DOUT=assets.cpp -DFOLDER=assets "-DASSETS=report.css;report.js" -P embed.cmake
set(text "#include \"report/html/assets.hpp\"\n\nnamespace ridge::report {\n\n")
foreach(asset IN LISTS ASSETS)
  string(MAKE_C_IDENTIFIER ${asset} name)
  file(READ ${FOLDER}/${asset} content)
  string(APPEND text "const std::string_view asset_${name} = R\"ridge_asset(${content})ridge_asset\";\n\n")
endforeach()
string(APPEND text "}  // namespace ridge::report\n")
file(WRITE ${OUT} "${text}")
