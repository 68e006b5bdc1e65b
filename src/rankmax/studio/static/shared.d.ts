// What the pages of the studio share with the frame around them.

import type { About, Project } from "./answers.js";

export interface Shared {
  project: Project;
  about: About;
  /** Shows the project anew, after files were added. */
  restart(): Promise<void>;
  reloadProject(): Promise<void>;
  loadModel(name: string): Promise<void>;
  /** Tells the page that held-out queries may be used from now on. */
  refresh(): void;
  say(message: string, isError?: boolean): void;
}

/** A page: `update` is told which parts of the state have changed, "all" at first and "size" when the window has. */
export interface Page {
  element: HTMLElement;
  update(changed: Set<string>): void;
  close?(): void;
}
