// A small box beside the pointer with the value under it: what `data-tip` says, or what a chart tells.

import { el } from "./charts/elements.js";

const box = el("div", { id: "tip", hidden: true, "aria-hidden": "true" });
document.body.append(box);

/**
 * @param {{ clientX: number, clientY: number }} at
 * @param {string} text
 */
export function showTip({ clientX, clientY }, text) {
  box.textContent = text;
  box.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = Math.max(4, Math.min(clientX + 14, window.innerWidth - width - 8));
  box.style.left = `${left}px`;
  box.style.top = `${clientY + 18 + height > window.innerHeight ? clientY - height - 10 : clientY + 18}px`;
}

export function hideTip() {
  box.hidden = true;
}

document.addEventListener("pointermove", event => {
  const told = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
  if (told) showTip(event, told.getAttribute("data-tip") ?? "");
  else if (!(event.target instanceof Element && event.target.closest("[data-tips]"))) hideTip();
});
document.addEventListener("pointerdown", hideTip);
document.addEventListener("scroll", hideTip, true);
