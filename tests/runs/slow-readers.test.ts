import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import type { LiveMessage } from "#contract/changes.ts";
import { createLiveDecoder, type EncodedLiveMessage } from "#contract/live-encoding.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { sendAndWait, readWholeLog } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";

/** More than the kernel buffers for both ends of a connection: 10 answers of 40 blocks of 64 KiB. */
const answers = 10;
const question = "tokens=40\nhuge";

/** A reader on a plain socket, which a test can pause. */
function rawReader(url: string, path: string, who: Visitor) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  const headers = Object.entries({ host: hostname, ...who.headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`GET ${path} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
  const message = createLiveDecoder();
  const messages: LiveMessage[] = [];
  let rest = "";
  let received = 0;
  socket.setEncoding("utf8").on("data", (text: string) => {
    received += text.length;
    rest += text;
    const whole = rest.lastIndexOf("\n\n") + 2;
    if (whole < 2) return;
    // Remove the sizes of HTTP's chunks between the events.
    for (const block of rest
      .slice(0, whole)
      .replaceAll(/\r\n[0-9a-f]+\r\n/g, "")
      .split("\n\n")) {
      const json = /^data: (.*)$/m.exec(block)?.[1];
      if (json !== undefined) messages.push(message(JSON.parse(json) as EncodedLiveMessage));
    }
    rest = rest.slice(whole);
  });
  socket.on("error", () => {});
  const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return {
    socket,
    gone,
    /** The messages that were received completely. */
    messages,
    received: () => received,
    async until(length: number) {
      while (received < length) await new Promise((resolve) => socket.once("data", resolve));
    },
  };
}

// The database does not matter.
describeServer(
  "a reader that stops reading",
  { model: true, stalledReaderMs: 300, on: ["sqlite"] },
  (server) => {
    test("is disconnected before it gets more than the buffers hold, and resumes from its numbers", async () => {
      const ada = server().inNewWorkspace();
      const runIds: string[] = [];
      for (let n = 0; n < answers; n++) runIds.push((await sendAndWait(ada, question)).run_id);
      const logs = new Map<string, RunEvent[]>();
      for (const runId of runIds) logs.set(runId, await readWholeLog(ada, runId));
      const whole = JSON.stringify([...logs.values()]).length;

      const pathAfter = (after: Map<string, number>) =>
        `/v1/live?after=0&runs=${runIds.map((runId) => `${runId}:${after.get(runId) ?? 0}`).join(",")}`;
      const seen = new Map<string, RunEvent[]>(runIds.map((runId) => [runId, []]));
      const take = (messages: LiveMessage[]) => {
        for (const message of messages) {
          if (message.type !== "run") continue;
          const events = seen.get(message.run_id)!;
          expect(message.seq).toBe(events.length + 1);
          events.push(message.event);
        }
      };

      const slow = rawReader(server().url, pathAfter(new Map()), ada);
      await slow.until(1_000);
      slow.socket.pause();
      // Longer than the server waits for a stalled reader.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      slow.socket.resume();
      await slow.gone;
      expect(slow.received()).toBeLessThan(whole * 0.9);
      take(slow.messages);

      const again = rawReader(
        server().url,
        pathAfter(new Map([...seen].map(([runId, events]) => [runId, events.length]))),
        ada,
      );
      const missing = () => [...seen].some(([runId, events]) => events.length < logs.get(runId)!.length);
      while (missing()) {
        take(again.messages.splice(0));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      again.socket.destroy();
      expect(seen).toEqual(logs);
    });

    test("does not delay other readers or runs", async ({ ada }) => {
      const { run_id: runId } = await sendAndWait(ada, question);
      const slow = rawReader(server().url, `/v1/runs/${runId}/events`, ada);
      await slow.until(1_000);
      slow.socket.pause();
      expect((await readWholeLog(ada, runId)).at(-1)).toMatchObject({ type: "run-end", state: "completed" });
      const { reply } = await sendAndWait(ada, "tokens=20 gap=5");
      expect(reply.end?.state).toBe("completed");
      slow.socket.destroy();
    });
  },
);
