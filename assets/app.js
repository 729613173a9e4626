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
})()
