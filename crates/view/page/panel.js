// Controls: each is bound to one key of the state, and says so when it changes.

/** An element with attributes and children. */
export function h(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (typeof value === "boolean") made.toggleAttribute(key, value);
    else made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/** Controls of a state; `changed` is called with the key after each change. */
export class Controls {
  constructor(state, changed) {
    this.state = state;
    this.changed = changed;
  }

  set(key, value) {
    this.state[key] = value;
    this.changed(key);
  }

  labelled(label, control) {
    return h("label", {}, h("span", {}, label), control);
  }

  choice(key, label, options) {
    const made = h("select", { id: "set-" + key, onchange: (event) => this.set(key, event.target.value) });
    for (const [value, text] of options) made.append(h("option", { value, selected: String(this.state[key]) === String(value) }, text));
    return this.labelled(label, made);
  }

  switch(key, label) {
    return this.labelled(label, h("input", { type: "checkbox", id: "set-" + key, checked: this.state[key], onchange: (event) => this.set(key, event.target.checked) }));
  }

  slider(key, label, min, max, step) {
    return this.labelled(label, h("input", { type: "range", id: "set-" + key, min, max, step, value: this.state[key], oninput: (event) => this.set(key, Number(event.target.value)) }));
  }

  number(key, label) {
    const took = (event) => Number.isFinite(event.target.valueAsNumber) && this.set(key, event.target.valueAsNumber);
    return this.labelled(label, h("input", { type: "number", id: "set-" + key, step: "any", value: this.state[key], onchange: took }));
  }

  text(key, label, placeholder) {
    return this.labelled(label, h("input", { type: "text", id: "set-" + key, placeholder, value: this.state[key], onchange: (event) => this.set(key, event.target.value.trim()) }));
  }
}

export const button = (text, title, press) => h("button", { type: "button", title, "aria-label": title, onclick: press }, text);

/** The help sheet. */
export function helpSheet() {
  const keys = [
    ["drag", "rotate (in 2D: pan)"], ["shift-drag, right drag", "pan"], ["wheel, + −", "zoom"], ["click", "inspect a grain"],
    ["ctrl-click two or three grains", "distance, angle"], ["space", "play and pause"], ["← →", "previous, next frame"], ["Home End", "first, last frame"],
    ["1 2 3", "look along x, y, z"], ["0", "fit"], ["p", "perspective"], ["c", "contacts"], ["w", "walls"], ["k", "curves"], ["f", "follow the selected grain"],
    ["s", "save a picture"], ["h, ?", "this sheet"], ["Esc", "close"],
  ];
  return h("div", {}, h("h1", {}, "Keyboard and mouse"),
    h("table", {}, ...keys.map(([key, what]) => h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", {}, what)))),
    h("p", {}, "The address of this page contains the view: a link or bookmark shows the same picture. The colours are safe for colour-blind viewers; compression is red and tension is blue."),
    h("form", { method: "dialog" }, h("button", {}, "Close")));
}
