// Requests to the studio's server, and detection of a lost connection.

import { byId } from "./charts/elements.js";
import { isGivenUp } from "./dom.js";

/** @import { Answers, Streams } from "./answers.js" */

/** @typedef {{ signal?: AbortSignal, method?: string }} How */

const WAIT = 1000; // milliseconds between two attempts to find the server again
/** @type {number | null} */
let lost = null;

/**
 * An address of the studio, which may be served below a path.
 *
 * @param {string} path that begins with a slash
 */
export const address = path => new URL(path.slice(1), document.baseURI).href;

/**
 * @template {keyof Answers} Path
 * @param {Path} path
 * @param {object} [body] the request body, if any
 * @param {How} how
 * @returns {Promise<Answers[Path]>}
 */
export async function ask(path, body, how = {}) {
  const response = await reach(path, body, how);
  return response.json();
}

/**
 * Server-sent events, by fetch, which allows a request body and cancellation.
 *
 * @template {keyof Streams} Path
 * @param {Path} path
 * @param {object | undefined} body
 * @param {(...event: Streams[Path]) => void} onEvent
 * @param {AbortSignal} signal
 */
export async function stream(path, body, onEvent, signal) {
  const response = await reach(path, body, { signal });
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, kind, content] = /** @type {RegExpExecArray} */ (/^event: (.*)\ndata: (.*)$/.exec(block));
      onEvent(.../** @type {Streams[Path]} */ ([kind, JSON.parse(content)]));
    }
  }
}

/**
 * A file to save.
 *
 * @param {string} path
 */
export async function content(path) {
  const response = await reach(path, undefined);
  return response.blob();
}

/**
 * @param {File} file
 * @returns {Promise<{ name: string }>}
 */
export async function upload(file) {
  const response = await reach(`/api/files/${encodeURIComponent(file.name)}`, file);
  return response.json();
}

/**
 * @param {string} path
 * @param {object | undefined} body
 * @param {How} how
 */
async function reach(path, body, { signal, method } = {}) {
  let response;
  try {
    response = await fetch(address(path), {
      method: method ?? (body === undefined ? "GET" : "POST"),
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (isGivenUp(error)) throw error;
    serverIsGone("The studio does not respond. This page continues as soon as it does.");
    throw new Error("the studio does not respond");
  }
  if (response.status === 403) {
    serverIsGone("The studio was restarted. Open the address that it printed; this page then continues.");
  }
  if (!response.ok) {
    const { error } = await response.json().catch(() => ({ error: response.statusText }));
    throw new Error(error);
  }
  return response;
}

/** @param {string} message */
function serverIsGone(message) {
  byId("trouble").textContent = message;
  byId("trouble").hidden = false;
  lost ??= setInterval(async () => {
    const found = await fetch(address("/api/project")).catch(() => null);
    if (!found?.ok || lost === null) return;
    clearInterval(lost);
    lost = null;
    byId("trouble").hidden = true;
    window.dispatchEvent(new Event("studio-found"));
  }, WAIT);
}

/**
 * Calls during a running call wait, and only the last of them is made.
 *
 * @param {() => Promise<unknown>} work
 */
export function latest(work) {
  let isBusy = false;
  let isAskedAgain = false;
  return async function run() {
    if (isBusy) {
      isAskedAgain = true;
      return;
    }
    isBusy = true;
    try {
      await work();
    } finally {
      isBusy = false;
      if (isAskedAgain) {
        isAskedAgain = false;
        run();
      }
    }
  };
}
