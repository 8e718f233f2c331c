/** Conversations in the export formats of ChatGPT and Claude. */

type ExportedMessage = {
  author: { role: string; name?: string };
  content: object;
  recipient?: string;
  metadata?: object;
};

/** A node of ChatGPT's tree. */
export const node = (id: string, parent: string | null, message: ExportedMessage | null) => ({
  id,
  parent,
  children: [],
  message:
    message === null
      ? null
      : { id, create_time: 1_700_000_000.5, status: "finished_successfully", ...message },
});

export const exportedMessage = (role: string, text: string, more: object = {}): ExportedMessage => ({
  author: { role },
  content: { content_type: "text", parts: [text] },
  ...more,
});

/** A conversation without branches. */
export function chatGptConversation(id: string, messages: (ExportedMessage | null)[]) {
  const nodes = messages.map((message, at) =>
    node(`${id}-${at}`, at === 0 ? null : `${id}-${at - 1}`, message),
  );
  return {
    title: `About ${id}`,
    create_time: 1_700_000_000,
    update_time: 1_700_000_100,
    conversation_id: id,
    current_node: nodes.at(-1)!.id,
    mapping: Object.fromEntries(nodes.map((each) => [each.id, each])),
  };
}

/** A conversation without branches, alternately of the person and Claude. */
export function claudeConversation(id: string, messages: object[]) {
  return {
    uuid: id,
    name: `About ${id}`,
    created_at: "2024-03-01T10:00:00.000000Z",
    updated_at: "2024-03-01T10:05:00.000000Z",
    chat_messages: messages.map((message, at) => ({
      uuid: `${id}-${at}`,
      sender: at % 2 === 0 ? "human" : "assistant",
      text: "",
      created_at: "2024-03-01T10:00:00.000000Z",
      ...message,
    })),
  };
}
