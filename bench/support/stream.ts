import { Agent, request, type IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";

/** Readers run on the same processors as the measured server, so they use Node's own HTTP client. */
const agent = new Agent({ keepAlive: true });

export type RequestOptions = { method?: string; headers?: Record<string, string>; body?: string };

/** Opens a stream, on a separate connection with `alone`. Throws for any other status than 200. */
export async function openStream(
  url: string,
  options: RequestOptions = {},
  alone = false,
): Promise<IncomingMessage> {
  const { method = "GET", headers = {}, body } = options;
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: alone ? false : agent }, (answer) => {
      if (answer.statusCode === 200) resolve(answer);
      else reject(new Error(`${url}: ${answer.statusCode}`));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Reads server-sent events to their end. */
export async function readEvents(
  answer: IncomingMessage,
  onEvent: (data: string, id: string | undefined) => void,
): Promise<void> {
  const parser = createParser({ onEvent: (event) => onEvent(event.data, event.id) });
  await new Promise<void>((resolve, reject) => {
    answer.setEncoding("utf8");
    answer.on("data", (text: string) => {
      try {
        parser.feed(text);
      } catch (error) {
        answer.destroy(error as Error);
      }
    });
    answer.once("end", resolve);
    answer.on("error", reject);
  });
}
