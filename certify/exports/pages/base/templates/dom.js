"use strict";
const SVG = "http://www.w3.org/2000/svg";
const find = (query, at = document) => at.querySelector(query);
const all = (query, at = document) => [...at.querySelectorAll(query)];
const make = (tag, attributes = {}, text) => {  // external texts become text nodes only
  const made = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) { made.setAttribute(name, value); }
  if (text !== undefined) { made.textContent = text; }
  return made;
};
