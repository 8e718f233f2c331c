import { expect } from "vitest";
import { fold } from "#contract/fold.ts";
import { describeServer, test } from "../support/servers/server.ts";
import {
  branchOf,
  eventsOf,
  startRun,
  sendAndWait,
  textOf,
  waitForFirstWord,
  readWholeLog,
} from "../support/clients/conversation.ts";

describeServer("following a run", { model: true }, () => {
  test("replays the events after any number", async ({ ada }) => {
    const { run_id } = await startRun(ada, 'tool=calculate("1+1") think=3');
    const all = await (await ada.events(run_id)).rest();
    eventsOf(all);
    expect(all.length).toBeGreaterThan(8);
    for (let after = 0; after <= all.length; after++) {
      expect(await (await ada.events(run_id, after)).rest()).toEqual(all.slice(after));
      const byHeader = await ada.events(run_id, undefined, { "Last-Event-ID": String(after) });
      expect(await byHeader.rest()).toEqual(all.slice(after));
    }
  });

  test("resumes from the reader's last number during the answer", async ({ ada }) => {
    const { run_id, thread_id } = await startRun(ada, "tokens=60 gap=5");
    const seen = await (async () => {
      const { stream, seen } = await waitForFirstWord(ada, run_id);
      stream.close();
      return seen;
    })();
    for (let reconnects = 0; reconnects < 3; reconnects++) {
      const stream = await ada.events(run_id, seen.at(-1)!.id);
      seen.push(...(await stream.until(() => true)));
      stream.close();
    }
    seen.push(...(await (await ada.events(run_id, seen.at(-1)!.id)).rest()));
    const reply = fold(eventsOf(seen));
    expect(textOf(reply.parts).split(/\s+/)).toHaveLength(60);
    expect((await branchOf(ada, thread_id))[1]?.content.content).toEqual(reply.parts);
  });

  test("sends the same events to all readers, whenever they connect", async ({ ada }) => {
    const { run_id } = await startRun(ada, "tokens=40 gap=5");
    const listeners = [readWholeLog(ada, run_id), readWholeLog(ada, run_id)];
    const { stream } = await waitForFirstWord(ada, run_id);
    listeners.push(readWholeLog(ada, run_id));
    await stream.rest();
    listeners.push(readWholeLog(ada, run_id));
    const [first, ...others] = await Promise.all(listeners);
    for (const other of others) expect(other).toEqual(first);
  });

  test("ends the stream after the run's end, also for a reader that has every event", async ({ ada }) => {
    const { run_id } = await sendAndWait(ada, "tokens=2");
    const all = await (await ada.events(run_id)).rest();
    expect(await (await ada.events(run_id, all.length)).rest()).toEqual([]);
  });

  test("streams text while it is written, not at the end", async ({ ada }) => {
    const { run_id } = await startRun(ada, "tokens=20 gap=20");
    const events = await readWholeLog(ada, run_id);
    expect(events.filter(({ type }) => type === "text-delta").length).toBeGreaterThan(3);
  });

  test("joins deltas that arrive faster than commits", async ({ ada }) => {
    const { run_id } = await startRun(ada, "tokens=3000");
    const deltas = (await readWholeLog(ada, run_id)).filter(({ type }) => type === "text-delta");
    expect(deltas.length).toBeLessThan(1_000);
  });

  test("never splits a surrogate pair", async ({ ada }) => {
    const faces = "😀".repeat(300);
    for (const words of [`${faces} gap=1\necho`, "bytes=surrogate tokens=30 gap=2"]) {
      const { run_id, thread_id } = await startRun(ada, words);
      const events = await readWholeLog(ada, run_id);
      const deltas = events.filter((event) => event.type === "text-delta");
      for (const { text } of deltas) expect(text.isWellFormed(), JSON.stringify(text)).toBe(true);
      expect(textOf(fold(events).parts)).toContain("😀");
      expect((await branchOf(ada, thread_id)).at(-1)?.content.content).toEqual(fold(events).parts);
    }
  });

  test("keeps NUL in a model's text", async ({ ada }) => {
    const { reply, thread_id } = await sendAndWait(ada, "bytes=nul tokens=2");
    expect(textOf(reply.parts)).toContain("a\u0000b");
    expect((await branchOf(ada, thread_id)).at(-1)?.content.content).toEqual(reply.parts);
  });

  test("prevents proxies from buffering or changing the stream", async ({ ada }) => {
    const { run_id } = await sendAndWait(ada, "tokens=2");
    const { response } = await ada.events(run_id);
    await response.body?.cancel();
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(response.headers.get("cache-control")).toContain("no-transform");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
  });

  test("rejects a number beyond the log, and values that are not numbers", async ({ ada }) => {
    const { run_id } = await sendAndWait(ada, "tokens=2");
    const params = { run_id };
    for (const after of ["1000000", "-1", "1.5", "x", "", "0x10", "1e3", "9".repeat(30)]) {
      await ada.fails("bad-request", "runs.events", { params, query: { after } });
    }
    for (const id of ["1000000", "-1", "x", "9".repeat(30)]) {
      await ada.fails("bad-request", "runs.events", { params, headers: { "Last-Event-ID": id } });
    }
  });
});
