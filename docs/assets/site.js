// What the theme leaves unnamed is named for those who hear the page; what scrolls takes the focus.
function name(root) {
  root.querySelectorAll("[data-md-component=search]").forEach((part) => {
    part.setAttribute("aria-label", "Search")
  })
  root.querySelectorAll(".md-code__nav").forEach((part) => {
    part.setAttribute("role", "presentation")
  })
  const wide = "div.output, .md-typeset__scrollwrap, .md-typeset pre > code"
  root.querySelectorAll(wide).forEach((part) => {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0
  })
}

addEventListener("load", () => {
  name(document)
  new MutationObserver(() => name(document)).observe(document.body, { childList: true, subtree: true })
})
