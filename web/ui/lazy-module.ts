import { createStore } from "../lib/store.ts";

/** A piece of the app that comes after the page: when it is first wanted, or when there is nothing else to do. */
export type Piece<Value extends object> = {
  /** Brings it, once, and says whether it is here. What did not come is tried anew by whoever asks next. Never throws. */
  bring(): Promise<boolean>;
  /** `undefined` until it was asked for and has come; `failed` when it did not come. */
  use(): Value | "failed" | undefined;
};

export function createPiece<Value extends object>(load: () => Promise<Value>): Piece<Value> {
  const piece = createStore<Value | "failed" | undefined>(undefined);
  let coming: Promise<boolean> | undefined;

  async function bring(): Promise<boolean> {
    try {
      if (piece.get() === "failed") askForStylesAgain();
      piece.set(await load());
      return true;
    } catch {
      // Off line, say, or the server has another build by now.
      piece.set("failed");
      coming = undefined;
      return false;
    }
  }

  return { bring: () => (coming ??= bring()), use: piece.use };
}

/** The styles of a piece are asked for once, whether they come or not. */
function askForStylesAgain(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel='stylesheet']"))
    if (link.sheet === null) link.replaceWith(link.cloneNode());
}
