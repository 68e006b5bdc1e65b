// Building the page. Text always becomes a text node, so nothing that a file contains is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined).map(child =>
    child instanceof Node ? child : document.createTextNode(String(child))));
  return element;
}

export const el = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);
export const svg = (tag, properties = {}, ...children) => fill(document.createElementNS(SVG, tag), properties, children);
export const byId = id => document.getElementById(id);

export function options(select, values, chosen, label = value => value) {
  select.replaceChildren(...values.map(value => el("option", {value}, label(value))));
  select.value = values.includes(chosen) ? chosen : (values[0] ?? "");
  return select;
}

// What is drawn anew keeps the focus where it was: the same place among all that can have it.
export function redraw(container, ...children) {
  const focusable = () => [...container.querySelectorAll("button, input, select, [tabindex]")];
  const place = focusable().indexOf(document.activeElement);
  container.replaceChildren();
  fill(container, {}, children);
  if (place >= 0) focusable()[place]?.focus({ preventScroll: true });
}

export function labelled(text, control, hint) {
  return el("label", {class: "field", title: hint}, el("span", {}, text), control);
}

export const number = (value, digits = 4) => value === null || value === undefined ? "–" : value.toFixed(digits);
export const signed = (value, digits = 4) =>
  value === null || value === undefined ? "–" : (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits);
export const short = value => Number(value.toPrecision(4)).toString();
export const counted = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
export const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;
