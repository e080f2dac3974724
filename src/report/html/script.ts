// The script of the HTML report: a crosshair that reads the timeline out, and folded parts that open for print. Without it
// every fact is still on the page. It makes elements only from text, never from markup.

/** Kept small and plain: it runs in the reader's browser as it stands here. */
export const SCRIPT = `
(() => {
  'use strict';
  addEventListener('beforeprint', () => { for (const one of document.querySelectorAll('details')) one.open = true; });
  const svg = document.getElementById('timeline');
  const data = document.getElementById('timeline-data');
  const tip = document.getElementById('timeline-tip');
  if (!svg || !data || !tip) return;
  const facts = JSON.parse(data.textContent);
  const cross = svg.querySelector('.cross');
  const { left, width, until, from, bucketMs, buckets, events } = facts;
  const seconds = (ms) => (ms / 1000).toFixed(2) + ' s';
  const hide = () => { tip.hidden = true; cross.style.visibility = 'hidden'; };
  const show = (event) => {
    const box = svg.getBoundingClientRect();
    const x = (event.clientX - box.left) * (svg.viewBox.baseVal.width / box.width);
    const at = ((x - left) / width) * until;
    if (at < 0 || at > until) return hide();
    const lines = [seconds(at)];
    const bucket = buckets[Math.floor((at - from) / bucketMs)];
    if (at >= from && bucket) {
      const rate = (count) => Math.round((count * 1000) / bucketMs).toLocaleString('en') + '/s';
      lines.push(rate(bucket[0]) + ' acknowledged' + (bucket[1] > 0 ? ', ' + rate(bucket[1]) + ' unknown' : ''));
      if (bucket[2] !== null) lines.push('p50 ' + bucket[2] + ' ms, p99 ' + bucket[3] + ' ms');
    }
    for (const [start, end, text] of events) if (at >= start && at <= end) lines.push(text);
    tip.textContent = lines.slice(0, 9).join('\\n');
    tip.hidden = false;
    cross.setAttribute('x1', x); cross.setAttribute('x2', x); cross.style.visibility = 'visible';
    const host = tip.parentElement.getBoundingClientRect();
    const place = event.clientX - host.left + 14;
    tip.style.left = (place + tip.offsetWidth > host.width ? Math.max(0, place - tip.offsetWidth - 28) : place) + 'px';
    tip.style.top = Math.max(0, event.clientY - host.top - tip.offsetHeight - 10) + 'px';
  };
  svg.addEventListener('pointermove', show);
  svg.addEventListener('pointerleave', hide);
})();
`;
