import type { Page } from "playwright-core";
import { expect } from "vitest";

/**
 * Stores a thread with these messages, each below the one before, as a client of the protocol does. Returns its path. Of a
 * message with two `versions`, the next one continues the second, and of one that was `edited` by hand, what it became.
 */
export async function storeThread(
  page: Page,
  messages: readonly {
    role: "user" | "assistant";
    content: readonly object[];
    versions?: 2;
    edited?: readonly object[];
  }[],
  { title }: { title?: string } = {},
): Promise<string> {
  // The page opens its session while it shows the composer.
  await expect.poll(async () => await page.context().cookies(), { timeout: 15_000 }).not.toEqual([]);
  return await page.evaluate(
    async ({ contents, given }) => {
      const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
      const base = document.querySelector<HTMLMetaElement>("meta[name=parlance-base-path]")!.content;
      const post = async (path: string, body: object) =>
        (await (
          await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) })
        ).json()) as {
          thread_id: string;
          message_id: string;
        };
      const { thread_id: id } = await post("/v1/threads", {
        last_message_at: new Date().toISOString(),
        ...given,
      });
      let parent: string | null = null;
      for (const { versions = 1, edited, ...content } of contents) {
        const above: string | null = parent;
        const body: object = { parent_id: parent, format: "aui/v0", content };
        for (let version = 1; version <= versions; version++)
          parent = (await post(`/v1/threads/${id}/messages?title=false`, body)).message_id;
        if (edited === undefined) continue;
        const metadata = { custom: { edited_from: parent } };
        const next: object = {
          ...body,
          parent_id: above,
          content: { ...content, content: edited, metadata },
        };
        parent = (await post(`/v1/threads/${id}/messages?title=false`, next)).message_id;
      }
      return `${base}/t/${id}`;
    },
    { contents: messages, given: title === undefined ? {} : { title } },
  );
}
