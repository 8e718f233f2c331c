import type { ShareRenderer } from "#contract/parts/share-page.ts";
import type { AddressOf } from "./shared-parts.ts";
import type { BranchReader, Position, SharedBranch } from "./read-branch.ts";
import type { OpenShare } from "./rows.ts";

export type RenderedMessage = { id: string; html: string };
export type PreparedBranch = SharedBranch & {
  /** The beginning of the first words, for previews. */
  description: string;
};

/** How a branch is rendered for a reader. */
export type RenderOptions = {
  /** The address of the page, without a query. */
  path: string;
  addressOf: AddressOf;
  renderer: ShareRenderer;
  language: string;
};

/** Characters of HTML that are kept, about as many bytes. */
const keptCharacters = 16 * 1024 * 1024;
/** Larger messages are not kept, so that a few of them do not replace all others. */
const entryCharacters = keptCharacters / 8;
const descriptionCharacters = 200;
/** Other requests are answered after this time of rendering. */
const turnMs = 10;

export type SharePages = ReturnType<typeof createSharePages>;

/** Renders the messages of shared branches. A message that did not change is rendered once. */
export function createSharePages({ branches }: { branches: BranchReader }) {
  /** HTML by everything that it depends on; the least recently used first. */
  const kept = new Map<string, string>();
  let characters = 0;

  function render(message: SharedBranch["messages"][number], { renderer, path, language }: RenderOptions) {
    const key = JSON.stringify([language, path, message]);
    const known = kept.get(key);
    const html = known ?? renderer.renderMessage(message, { language, path });
    const size = key.length + html.length;
    if (size > entryCharacters) return html;
    if (known !== undefined) kept.delete(key);
    else characters += size;
    kept.set(key, html);
    for (const [oldest, text] of kept) {
      if (characters <= keptCharacters) break;
      kept.delete(oldest);
      characters -= oldest.length + text.length;
    }
    return html;
  }

  return {
    async read(share: OpenShare, position: Position, renderOptions: RenderOptions): Promise<PreparedBranch> {
      const branch = await branches.read(share, position, renderOptions.addressOf);
      const words = branch.messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === "text" ? part.text : [])),
      );
      const description = (words[0] ?? "").replaceAll(/\s+/g, " ").trim().slice(0, descriptionCharacters);
      return { ...branch, description: description.toWellFormed() };
    },

    /** The messages as HTML, in order: those that were rendered before other requests get their turn come together. */
    async *render(
      { messages }: SharedBranch,
      renderOptions: RenderOptions,
    ): AsyncGenerator<RenderedMessage[]> {
      let rendered: RenderedMessage[] = [];
      let turnEndsAt = performance.now() + turnMs;
      for (const message of messages) {
        rendered.push({ id: message.id, html: render(message, renderOptions) });
        if (performance.now() < turnEndsAt) continue;
        yield rendered;
        rendered = [];
        await new Promise((resolve) => setImmediate(resolve));
        turnEndsAt = performance.now() + turnMs;
      }
      yield rendered;
    },
  };
}
