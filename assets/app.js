// A page of another server shows nothing of the app in a frame of its own, where it could lead a click to any button.
(() => {
  try {
    void window.top.location.href
  } catch {
    document.body.textContent = 'DNN Coverage Explorer is not shown inside pages of other servers. Open its own address.'
    window.stop()
  }
})();

// One entry in the browser's history for each click and each key, however often Streamlit writes the address after it:
// it pushes one entry for new parameters and one for a new page, and pages add what they show to their address.
(() => {
  if (window.oneEntryForEachClick) return
  window.oneEntryForEachClick = true
  const push = history.pushState
  let acted = false
  const acts = () => { acted = true }
  addEventListener('pointerdown', acts, true)
  addEventListener('keydown', acts, true)
  addEventListener('click', (event) => { if (event.detail === 0) acts() }, true) // by assistive technology
  addEventListener('popstate', () => { acted = false }, true)
  history.pushState = (...entry) => {
    (acted ? push : history.replaceState).apply(history, entry)
    acted = false
  }
})();
