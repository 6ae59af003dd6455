// Draws the plots that the page embeds as JSON, with Chart.js (3.x or 4.x). What is drawn is
// decided where the JSON is made; here are only canvases, colours of the theme and the hover box.
'use strict';

const ridgePlots = (() => {
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ink = colour => colour || style('--ink');
  const charts = [];  // {chart, redraw}: all that are on the page

  // Radius that gives a symbol its area: Chart.js draws every symbol inside a circle.
  const symbols = {
    circle: {pointStyle: 'circle', rotation: 0, factor: Math.PI},
    square: {pointStyle: 'rect', rotation: 0, factor: 2},
    diamond: {pointStyle: 'rectRot', rotation: 0, factor: 2},
    triangle_up: {pointStyle: 'triangle', rotation: 0, factor: 3 * Math.sqrt(3) / 4},
    triangle_down: {pointStyle: 'triangle', rotation: 180, factor: 3 * Math.sqrt(3) / 4},
  };
  const radius = dot => Math.sqrt(dot.area_px2 / symbols[dot.symbol].factor);

  function element(parent, tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    parent.append(node);
    return node;
  }

  // One box for all charts, as HTML: it wraps long lines, which a canvas does not.
  function hover(context, linesOf) {
    let box = document.getElementById('hover');
    if (!box) {
      box = element(document.body, 'div');
      box.id = 'hover';
    }
    const {chart, tooltip} = context;
    const lines = tooltip.opacity === 0 ? null : linesOf(tooltip.dataPoints || []);
    box.hidden = !lines;
    if (!lines) return;
    box.replaceChildren();
    lines.forEach((line, i) => element(box, 'div', i === 0 ? 'first' : '', line));
    const frame = chart.canvas.getBoundingClientRect();
    const left = frame.left + window.scrollX + tooltip.caretX + 14;
    const most = window.scrollX + document.documentElement.clientWidth - box.offsetWidth - 8;
    box.style.left = Math.max(window.scrollX + 8, Math.min(left, most)) + 'px';
    box.style.top = frame.top + window.scrollY + tooltip.caretY + 14 + 'px';
  }

  function scale(axis, options) {
    const labels = new Map(axis.ticks.map(tick => [tick.value, tick.label]));
    const decade = label => /^(0\.0*)?10*( |$)/.test(label);
    // On a narrow canvas a logarithmic axis keeps the labels of its decades only.
    const labelOf = (value, chart) => {
      const label = labels.get(value) || null;
      return label && axis.logarithmic && chart.width < 450 && !decade(label) ? null : label;
    };
    return {
      type: axis.logarithmic ? 'logarithmic' : 'linear',
      min: axis.low,
      max: axis.high,
      title: {display: true, text: axis.title, color: style('--ink')},
      afterBuildTicks: s => { s.ticks = axis.ticks.map(tick => ({value: tick.value})); },
      ticks: {autoSkip: false, maxRotation: 0, color: style('--ink'),
              callback(value) { return labelOf(value, this.chart); }},
      grid: {color: style('--grid')},
      ...options,
    };
  }

  // Text at the lines and arrows, over everything else.
  const annotations = panel => ({
    id: 'annotations',
    afterDatasetsDraw(chart) {
      const {ctx, scales: {x, y}, chartArea} = chart;
      ctx.save();
      ctx.textBaseline = 'middle';
      ctx.lineJoin = 'round';
      for (const label of panel.labels) {
        const [px, py] = [x.getPixelForValue(label.at[0]), y.getPixelForValue(label.at[1])];
        ctx.save();
        ctx.translate(px, py);
        if (label.slant === 'along_bandwidth') {
          const rise = chartArea.height / Math.log10(panel.y.high / panel.y.low);
          const run = chartArea.width / Math.log10(panel.x.high / panel.x.low);
          ctx.rotate(-Math.atan2(rise, run));
        } else if (label.slant === 'steep') {
          ctx.rotate(-50 * Math.PI / 180);
          ctx.translate(8, 8);
        }
        const lift = label.below ? 9 : -9;
        ctx.font = '11px ' + style('--font');
        ctx.textAlign = {start: 'left', middle: 'center', end: 'right'}[label.anchor];
        ctx.strokeStyle = style('--paper');
        ctx.lineWidth = 3;
        ctx.strokeText(label.text, 0, lift);
        ctx.fillStyle = ink(label.colour);
        ctx.fillText(label.text, 0, lift);
        ctx.restore();
      }
      for (const dot of panel.dots.filter(d => d.beyond_right)) {
        const py = y.getPixelForValue(dot.at[1]), px = chartArea.right;
        ctx.fillStyle = dot.colour;
        ctx.beginPath();
        ctx.moveTo(px + 14, py);
        ctx.lineTo(px + 4, py - 5);
        ctx.lineTo(px + 4, py + 5);
        ctx.fill();
      }
      ctx.restore();
    },
  });

  function plane(panel) {
    const line = l => ({
      type: 'line', label: l.name, data: l.points.map(([x, y]) => ({x, y})), showLine: true,
      pointRadius: 0, pointHitRadius: 0, borderColor: ink(l.colour),
      borderWidth: l.stroke === 'strong' ? 2 : 1, borderDash: l.stroke === 'dashed' ? [5, 4] : [],
      order: 3,
    });
    const dots = panel.dots;
    const dotSet = {
      type: 'scatter', label: 'rows', order: 2, clip: 20,
      data: dots.map(d => ({x: d.at[0], y: d.at[1]})),
      pointStyle: dots.map(d => symbols[d.symbol].pointStyle),
      rotation: dots.map(d => symbols[d.symbol].rotation),
      radius: dots.map(radius), hoverRadius: dots.map(d => radius(d) + 2), hitRadius: 3,
      backgroundColor: dots.map(d => d.filled ? d.colour + '99' : 'transparent'),
      borderColor: dots.map(d => d.colour), borderWidth: 1,
    };
    const marks = {
      type: 'scatter', label: 'ridge points', order: 1, hitRadius: 0,
      data: panel.marks.map(([x, y]) => ({x, y})), radius: 3.5,
      backgroundColor: style('--paper'), borderColor: style('--ink'), borderWidth: 1.5,
    };
    const dotIndex = panel.lines.length;
    // Dots are sorted from large to small: the last one under the pointer is on top.
    const topDot = points => {
      const hits = points.filter(p => p.datasetIndex === dotIndex);
      return hits.length ? dots[hits[hits.length - 1].dataIndex] : null;
    };
    return {
      type: 'scatter',
      data: {datasets: [...panel.lines.map(line), dotSet, marks]},
      options: {
        interaction: {mode: 'point', intersect: true},
        onClick: (event, hits) => {
          const dot = topDot(hits.map(h => ({datasetIndex: h.datasetIndex, dataIndex: h.index})));
          if (dot) document.dispatchEvent(new CustomEvent('ridge-row', {detail: dot.row}));
        },
        scales: {x: scale(panel.x), y: scale(panel.y)},
        layout: {padding: {right: 16, top: 8}},
        plugins: {tooltip: {enabled: false, external: context =>
          hover(context, points => { const d = topDot(points); return d && d.hover; })}},
      },
      plugins: [annotations(panel)],
    };
  }

  const barTotals = panel => ({
    id: 'totals',
    afterDatasetsDraw(chart) {
      const {ctx, scales: {x, y}} = chart;
      ctx.save();
      ctx.textBaseline = 'middle';
      ctx.font = '11px ' + style('--font');
      ctx.fillStyle = style('--faint');
      panel.bars.forEach((bar, i) => {
        const end = bar.segments.reduce((sum, s) => sum + s.value, 0);
        ctx.fillText(bar.total, x.getPixelForValue(end) + 5, y.getPixelForValue(i));
      });
      ctx.restore();
    },
  });

  function bars(panel) {
    const segmentOf = (bar, series) => bar.segments.find(s => s.series === series);
    const short = name => name.length > 34 ? name.slice(0, 22) + '…' + name.slice(-11) : name;
    return {
      type: 'bar',
      data: {
        labels: panel.bars.map(b => short(b.name)),
        datasets: panel.series.map((series, i) => ({
          label: series.name, backgroundColor: series.colour, stack: 'time',
          barPercentage: 0.95, categoryPercentage: 0.9,
          data: panel.bars.map(b => (segmentOf(b, i) || {value: null}).value),
        })),
      },
      options: {
        indexAxis: 'y',
        interaction: {mode: 'point', intersect: true},
        scales: {
          x: scale(panel.x, {stacked: true}),
          y: {stacked: true, grid: {display: false},
              ticks: {autoSkip: false, color: style('--ink'), font: {size: 11}}},
        },
        plugins: {tooltip: {enabled: false, external: context => hover(context, points => {
          const hit = points[points.length - 1];
          const segment = hit && segmentOf(panel.bars[hit.dataIndex], hit.datasetIndex);
          return segment && segment.hover;
        })}},
      },
      plugins: [barTotals(panel)],
    };
  }

  function legend(host, entries) {
    const list = element(host, 'ul', 'legend');
    for (const entry of entries) {
      const item = element(list, 'li', '', entry.text);
      const key = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      key.setAttribute('viewBox', '-7 -7 14 14');
      const shape = document.createElementNS(key.namespaceURI, 'path');
      shape.setAttribute('d', {
        circle: 'M-5,0A5,5 0 1 0 5,0A5,5 0 1 0 -5,0', square: 'M-4.5,-4.5h9v9h-9z',
        diamond: 'M0,-6L6,0L0,6L-6,0z', triangle_up: 'M0,-6.5L5.6,3.5L-5.6,3.5z',
        triangle_down: 'M0,6.5L5.6,-3.5L-5.6,-3.5z',
      }[entry.symbol || 'square']);
      shape.style.fill = entry.filled ? entry.colour || 'var(--ink)' : 'none';
      shape.style.stroke = entry.colour || 'var(--ink)';
      key.append(shape);
      item.prepend(key);
    }
  }

  function drawPanel(frame, panel) {
    const canvas = element(frame, 'canvas');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', panel.title);
    const entry = {};
    entry.redraw = () => {
      if (entry.chart) entry.chart.destroy();
      const config = panel.bars.length ? bars(panel) : plane(panel);
      Object.assign(config.options, {animation: false, maintainAspectRatio: false});
      config.options.plugins.legend = {display: false};
      entry.chart = new Chart(canvas, config);
    };
    entry.redraw();
    charts.push(entry);
  }

  function draw(plot, host) {
    legend(host, plot.legend);
    const row = element(host, 'div', 'panels');
    for (const panel of plot.panels) {
      const box = element(row, 'div', 'panel');
      box.style.flexGrow = 100 * panel.width_share;  // below 1 it would not fill a row
      box.style.flexBasis = Math.round(panel.width_share * 720) + 'px';
      if (panel.title) element(box, 'h3', '', panel.title);
      const frame = element(box, 'div', 'canvas');
      frame.style.height = (panel.bars.length ? 70 + 18 * panel.bars.length : 540) + 'px';
      drawPanel(frame, panel);
    }
    for (const note of plot.notes) element(host, 'p', 'note', note);
    host.dataset.drawn = 'yes';
  }

  function drawAll() {
    if (typeof Chart === 'undefined') return;  // the page says so where each chart would be
    Chart.defaults.font.family = style('--font');
    const data = JSON.parse(document.getElementById('plots').textContent);
    for (const plot of data) {
      const host = document.getElementById('plot-' + plot.name);
      if (host) draw(plot, host);
    }
    const redraw = () => charts.forEach(entry => entry.redraw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    // Paper is white whatever the screen is.
    const paper = on => {
      document.documentElement.classList.toggle('paper', on);
      redraw();
    };
    addEventListener('beforeprint', () => paper(true));
    addEventListener('afterprint', () => paper(false));
  }

  return {drawAll, charts};
})();

ridgePlots.drawAll();
