// Talking to the studio's server, and noticing when it is gone.

import { byId } from "./dom.js";

const WAIT = 1000;  // milliseconds between two attempts to find the server again
let lost = null;

export async function ask(path, body, { signal, method } = {}) {
  const response = await reach(path, body, { signal, method });
  return response.json();
}

// Server-sent events; by fetch, as a question has a body, and one that is no longer wanted can be given up.
export async function stream(path, body, onEvent, signal) {
  const response = await reach(path, body, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const [, kind, content] = /^event: (.*)\ndata: (.*)$/.exec(block);
      onEvent(kind, JSON.parse(content));
    }
  }
}

export async function upload(file) {
  const response = await reach(`/api/files/${encodeURIComponent(file.name)}`, file);
  return response.json();
}

async function reach(path, body, { signal, method } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    serverIsGone("The studio does not answer. This page goes on as soon as it does.");
    throw new Error("the studio does not answer");
  }
  if (response.status === 403) {
    serverIsGone("The studio was started anew. Open the address that it printed; this page then goes on where it is.");
  }
  if (!response.ok) {
    const { error } = await response.json().catch(() => ({ error: response.statusText }));
    throw new Error(error);
  }
  return response;
}

function serverIsGone(message) {
  byId("trouble").textContent = message;
  byId("trouble").hidden = false;
  lost ??= setInterval(async () => {
    const found = await fetch("/api/project").catch(() => null);
    if (!found?.ok) return;
    clearInterval(lost);
    lost = null;
    byId("trouble").hidden = true;
    window.dispatchEvent(new Event("studio-found"));
  }, WAIT);
}

// Calls that come while one is under way wait, and only the last of them is made.
export function latest(work) {
  let busy = false, waiting = null;
  return async function run(...parameters) {
    if (busy) { waiting = parameters; return; }
    busy = true;
    try { await work(...parameters); } finally {
      busy = false;
      if (waiting) { const next = waiting; waiting = null; run(...next); }
    }
  };
}
