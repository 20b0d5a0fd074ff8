// Brings the page up to date at every tick: without it, reloading does the same.
"use strict";
(() => {
  const main = document.querySelector("main[data-tick]");
  if (!main) return;
  const tick = Math.max(1, Number(main.dataset.tick)) * 1000;
  const said = document.getElementById("as-of");
  let tag = null;
  async function look() {
    try {
      const headers = tag ? { "If-None-Match": tag } : {};
      const answer = await fetch(location.href, { headers, credentials: "same-origin" });
      if (answer.status === 200) {
        tag = answer.headers.get("ETag");
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!page.querySelector("main[data-tick]")) {
          if (said) said.textContent = "This page is no longer up to date: reload it to sign in again.";
          return;
        }
        for (const now of document.querySelectorAll("main [data-live]")) {
          const next = page.getElementById(now.id);
          if (next && !now.contains(document.activeElement)) {
            const open = [...now.querySelectorAll("details")].map((each) => each.open);
            now.replaceWith(document.adoptNode(next));
            [...next.querySelectorAll("details")].forEach((each, at) => { each.open = !!open[at]; });
          }
        }
        const time = page.getElementById("as-of");
        if (said && time) said.textContent = time.textContent;
      } else if (answer.status !== 304 && said) {
        said.textContent = "This page is no longer up to date: the service answered " + answer.status + ".";
        return;
      }
    } catch {
      if (said) said.textContent = "This page is no longer up to date: the service does not answer.";
    }
    setTimeout(look, tick);
  }
  setTimeout(look, tick);
})();
