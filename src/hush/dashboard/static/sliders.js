// Shows the values of sliders, and asks again when one was moved: without it, a button does.
"use strict";
(() => {
  const form = document.querySelector("form[data-sliders]");
  if (!form) return;
  for (const slider of form.querySelectorAll("input[type=range]")) {
    const shown = form.querySelector(`output[for="${slider.id}"]`);
    const show = () => { if (shown) shown.textContent = slider.value; };
    slider.addEventListener("input", show);
    slider.addEventListener("change", () => form.requestSubmit());
    show();
  }
})();
