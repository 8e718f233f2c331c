import { expect, test, vi } from "vitest";
import type { OpenStream } from "./open-stream.ts";
import { connectToLeader } from "./tab-leader.ts";
import type { FromHub } from "./tab-messages.ts";

/** A server that counts the open connections and says hello on each. */
function countedConnections() {
  const counts = { open: 0 };
  const open: OpenStream = async (_position, _headers, handlers, signal) => {
    counts.open++;
    handlers.onMessage({ type: "hello", seq: 1 });
    await new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => {
        counts.open--;
        reject(signal.reason as Error);
      });
    });
  };
  return { counts, open };
}

/** A tab that joins each new leader, as `joinEventStream` does. */
function connect(open: OpenStream) {
  const received: FromHub[] = [];
  const link = connectToLeader(
    open,
    (message) => {
      received.push(message);
      if (message.type === "headers-request")
        link.post({ type: "headers", requestId: message.requestId, headers: {} });
    },
    () => link.post({ type: "join", lock: undefined }),
  )!;
  return {
    ...link,
    listens: async () =>
      await vi.waitFor(() => expect(received.map(({ type }) => type)).toContain("listening")),
  };
}

test("a leading tab that connects again leads again, with one connection", async () => {
  const { counts, open } = countedConnections();
  const first = connect(open);
  await first.listens();
  first.close();
  const second = connect(open);
  await second.listens();
  expect(counts.open).toBe(1);
  second.close();
  await expect.poll(() => counts.open).toBe(0);
});

test("a waiting tab leads when the leading tab closes its link, and the other tab joins it", async () => {
  const { counts, open } = countedConnections();
  const leader = connect(open);
  await leader.listens();
  const waiting = connect(open);
  leader.close();
  const returned = connect(open);
  await Promise.all([waiting.listens(), returned.listens()]);
  expect(counts.open).toBe(1);
  returned.close();
  waiting.close();
  await expect.poll(() => counts.open).toBe(0);
});
