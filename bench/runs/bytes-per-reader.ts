import { newId } from "#contract/ids.ts";
import { call, proxyQuestion, startRun, type User } from "../support/parlance.ts";
import type { Bench, Figure } from "../support/report.ts";
import { withServices } from "../support/services.ts";
import { openStream, readEvents, type RequestOptions } from "../support/stream.ts";

const tokenCount = 1_000;
const question = `tokens=${tokenCount} gap=5`;
const maxRatio = 3;

/** How many bytes a reader receives for an answer at 200 tokens/s, with headers, compared with its text. */
export const bytesPerReader: Bench = {
  about: "bytes to a reader of one answer at 200 tokens/s, as a multiple of its text, beside a bare proxy",
  async run() {
    return await withServices(async ({ server, proxy, person }) => {
      const bare = await receivedBytes(`${proxy.url}/v1/chat/completions`, proxyQuestion(question));
      const streams: [what: string, path: (runId: string) => string][] = [
        ["the run's own stream", (runId) => `/v1/runs/${runId}/events`],
        ["the browser's event stream", (runId) => `/v1/live?runs=${runId}:0`],
      ];
      const figures: Figure[] = [];
      for (const [what, path] of streams) {
        const threadId = newId("thread");
        const { runId, replyId } = await startRun(person, question, { threadId });
        const ours = await receivedBytes(
          `${server.url}${path(runId)}`,
          { headers: person.headers },
          "run-end",
        );
        const length = Buffer.byteLength(await readText(person, threadId, replyId));
        figures.push({
          what: `${what}, for each byte of text`,
          unit: "bytes",
          ours: ours / length,
          baseline: bare / length,
          against: "the proxy",
          aim: `at most ${maxRatio}`,
          met: ours / length <= maxRatio,
        });
      }
      return figures;
    });
  },
};

/** The text of a reply, once its run has ended. */
async function readText(person: User, threadId: string, replyId: string): Promise<string> {
  const { messages } = await call<{
    messages: { id: string; content: { content?: { text?: string }[] } }[];
  }>(person, "GET", `/v1/threads/${threadId}/messages`);
  const reply = messages.find(({ id }) => id === replyId);
  return (reply?.content.content ?? []).map(({ text }) => text ?? "").join("");
}

/** Bytes that arrived on a separate connection, until the stream ended or sent `last`. */
async function receivedBytes(url: string, options: RequestOptions, last?: string): Promise<number> {
  const answer = await openStream(url, options, true);
  const { socket } = answer;
  let bytes = 0;
  try {
    await readEvents(answer, (data) => {
      bytes = socket.bytesRead;
      if (last !== undefined && data.includes(`"${last}"`)) answer.destroy(new Error("complete"));
    });
  } catch (error) {
    if ((error as Error).message !== "complete") throw error;
  }
  return Math.max(bytes, socket.bytesRead);
}
