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
// it pushes one entry for new parameters and one for a new page, and pages add what they show to their address. None for
// the address that is shown already, nor for what is dropped on the page Bring: Back leaves it, and Forward finds it as
// it was.
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
    const to = new URL(entry[2] ?? '', location.href)
    if (to.href === location.href) return
    const drops = to.pathname === location.pathname && /[?&]draft=/.test(to.search + location.search)
    ;(acted && !drops ? push : history.replaceState).apply(history, entry)
    acted = false
  }
})();

// Where the Tab key goes on. Links before all else skip to the marked places of a page, which are containers with a key
// such as "skip-to-export"; a new page begins with them; an open popover, which stands last in the document, follows its
// button.
(() => {
  if (document.getElementById('skip-links')) return
  const FIRST = ':is(a[href], :enabled):not([aria-label^="Help"], [aria-label^="Fullscreen"])'
  const links = document.createElement('nav')
  Object.assign(links, { id: 'skip-links', ariaLabel: 'Skip links', tabIndex: -1 })
  document.body.prepend(links) // outside of what Streamlit draws anew
  const linkTo = (key) => {
    const link = document.createElement('a')
    Object.assign(link, { href: `#${key}`, textContent: key.replaceAll('-', ' ').replace('s', 'S') })
    link.addEventListener('click', (event) => {
      event.preventDefault()
      const first = document.querySelector(`.st-key-${key}`)?.querySelector(FIRST)
      first?.focus()
      first?.scrollIntoView({ block: 'center' })
    })
    return link
  }
  const offer = () => {
    const places = [...document.querySelectorAll('[class*="st-key-skip-to-"]')]
    const keys = places.filter((each) => each.querySelector(FIRST)).map((each) => each.className.match(/skip-to-\S+/)[0])
    links.replaceChildren(...keys.map(linkTo))
  }
  let address = location.href
  const stays = () => { address = location.href }
  addEventListener('focusin', stays)
  addEventListener('pointerdown', stays)
  addEventListener('keydown', (event) => {
    const now = document.activeElement
    if (event.key !== 'Tab' || links.contains(now)) return
    offer()
    if (event.shiftKey) return
    if (now.matches('[data-testid="stPopoverButton"][aria-expanded="true"]')) {
      const popover = document.querySelector('[data-testid="stPopoverBody"]')
      popover?.focus()
      if (!popover?.querySelector(FIRST)) event.preventDefault() // it has text alone, or is not drawn yet
    } else if (now === document.body && address !== location.href) {
      links.focus()
    }
  }, true)
})();

// Where the system turns from light to dark, the page runs again, since the server colours figures: a hidden button asks.
(() => {
  if (window.followsTheSystem) return
  window.followsTheSystem = true
  const ask = () => document.querySelector('.st-key-theme-turned button')?.click()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setTimeout(ask, 50)) // Streamlit first
})();
