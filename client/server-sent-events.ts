/** The messages of a response of server-sent events whose data are JSON, as Parlance sends them. */
export async function* messagesOf<Message>(response: Response): AsyncGenerator<Message> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let text = "";
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const events = (text + read.value).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data !== undefined) yield JSON.parse(data) as Message;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
