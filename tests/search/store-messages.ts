import type { Visitor } from "../support/clients/visitor.ts";

/** Stores a conversation as a protocol client does, without a title from a model. The person and the assistant alternate. */
export async function storeMessages(
  who: Visitor,
  texts: string[],
  thread: { title?: string; id?: string } = {},
) {
  const threadId =
    thread.id ??
    (
      await who.call("threads.create", {
        body: {
          last_message_at: new Date(0).toISOString(),
          ...(thread.title === undefined ? {} : { title: thread.title }),
        },
      })
    ).thread_id;
  let parentId: string | null = null;
  const ids: string[] = [];
  for (const [index, text] of texts.entries()) {
    const role = index % 2 === 0 ? "user" : "assistant";
    const { message_id }: { message_id: string } = await who.call("messages.add", {
      params: { thread_id: threadId },
      query: { title: "false" },
      body: { parent_id: parentId, format: "aui/v0", content: { role, content: [{ type: "text", text }] } },
    });
    ids.push((parentId = message_id));
  }
  return { threadId, ids };
}
