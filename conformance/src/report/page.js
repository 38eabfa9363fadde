
const filter = document.getElementById('filter');
filter.hidden = false;
filter.addEventListener('submit', (event) => event.preventDefault());
filter.addEventListener('input', () => {
  const wanted = new FormData(filter);
  const text = wanted.get('text').toLowerCase();
  let shown = 0;
  for (const section of document.querySelectorAll('section')) {
    let some = false;
    for (const finding of section.querySelectorAll('details')) {
      const fits = ['outcome', 'revision', 'area'].every((name) => !wanted.get(name) || finding.dataset[name] === wanted.get(name)) &&
        (!text || finding.textContent.toLowerCase().includes(text));
      finding.hidden = !fits;
      some ||= fits;
    }
    section.hidden = !some;
    shown += some;
  }
  document.getElementById('none').hidden = shown > 0;
});
