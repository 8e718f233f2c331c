import type { Page } from "playwright-core";

/** Stores a thread with these messages, each below the one before, as a client of the protocol does. Returns its path. */
export async function storeThread(
  page: Page,
  messages: readonly { role: "user" | "assistant"; content: readonly object[] }[],
  { title }: { title?: string } = {},
): Promise<string> {
  return await page.evaluate(
    async ({ contents, given }) => {
      const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
      const post = async (path: string, body: object) =>
        (await (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json()) as {
          thread_id: string;
          message_id: string;
        };
      // The page opens its session while it shows the composer.
      while (!(await fetch("/v1/auth/me", { headers })).ok) await new Promise((next) => setTimeout(next, 50));
      const { thread_id: id } = await post("/v1/threads", {
        last_message_at: new Date().toISOString(),
        ...given,
      });
      let parent: string | null = null;
      for (const content of contents) {
        const body: object = { parent_id: parent, format: "aui/v0", content };
        parent = (await post(`/v1/threads/${id}/messages?title=false`, body)).message_id;
      }
      return `/t/${id}`;
    },
    { contents: messages, given: title === undefined ? {} : { title } },
  );
}
