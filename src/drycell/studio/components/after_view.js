// Loads large scripts only after the view shows the cell: on a slow machine they would delay it.
const LONGEST = 1500; // ms; a cell may have nothing to show

export function afterView() {
  if (window.__drycell?.view?.framed) return Promise.resolve();
  return new Promise((go) => {
    window.addEventListener("drycell-framed", go, { once: true });
    setTimeout(go, LONGEST);
  });
}
