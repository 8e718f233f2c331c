import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import type { Random } from "#fixtures/random.ts";

/** An answer that an app's client wrote with a lease, and what the server acknowledged of it. */
export type LeasedAnswer = {
  threadId: string;
  externalId: string;
  /** The newest text that the server has acknowledged, and the newest that was sent. */
  acknowledged: string | undefined;
  sent: string;
  isEnded: boolean;
};

export type LeaseClients = {
  answers: LeasedAnswer[];
  /** Descriptions of what must never happen. */
  violations: string[];
  /** Begins no more answers, and waits until all are stored and ended, at most `maxMs`. */
  finish(maxMs: number): Promise<void>;
};

const checkpoints = 6;

/** Simulates `count` tabs of other apps: each stores an answer while it writes it, with a lease, and then the next one. */
export function startLeaseClients(url: string, count: number, random: Random): LeaseClients {
  const answers: LeasedAnswer[] = [];
  const violations: string[] = [];
  const stopping = new AbortController();

  /** Retries until the server answers, as these clients do with what they have not stored yet. */
  async function request(number: number, method: string, path: string, body: object, random: Random) {
    const headers = {
      Authorization: `Bearer ${apiKey}`,
      "Aui-User-Id": `app_${number}`,
      "Aui-Workspace-Id": `app_${number}`,
      "Content-Type": "application/json",
    };
    for (;;) {
      try {
        const signal = AbortSignal.timeout(40_000);
        const response = await fetch(url + path, { method, headers, signal, body: JSON.stringify(body) });
        const answer = (await response.json()) as Record<string, string>;
        if (response.status < 500 && response.status !== 429) return { status: response.status, answer };
      } catch {
        // The connection is lost, or the server is.
      }
      await sleep(random.between(50, 400));
    }
  }

  async function writeAnswer(number: number, random: Random): Promise<void> {
    const send = async (method: string, path: string, body: object) =>
      await request(number, method, path, body, random.fork());
    const threadId = newId("thread");
    const answer: LeasedAnswer = {
      threadId,
      externalId: `local ${threadId}`,
      acknowledged: undefined,
      sent: "Ferns",
      isEnded: false,
    };
    const at = `/v1/threads/${threadId}`;
    const refuse = (what: string, { status, answer: body }: Awaited<ReturnType<typeof send>>) =>
      void violations.push(`${what} of ${answer.externalId}: ${status} ${JSON.stringify(body)}`);
    const contentOf = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });
    const now = new Date().toISOString();
    const created = await send("POST", "/v1/threads", {
      id: threadId,
      last_message_at: now,
      title: "Leases",
    });
    if (created.status > 201) return refuse("the thread", created);
    answers.push(answer);
    const question = { parent_id: null, format: "aui/v0", external_id: `question ${threadId}` };
    await send("POST", `${at}/messages`, { ...question, content: userMessage("What grows in the shade?") });
    const stored = {
      parent_id: null,
      parent_external_id: question.external_id,
      format: "aui/v0",
      external_id: answer.externalId,
    };
    const opened = await send("POST", `${at}/messages`, {
      ...stored,
      content: contentOf(answer.sent),
      open_run: true,
    });
    const { message_id: messageId, lease_id: leaseId } = opened.answer;
    // The first request opened the lease and its response was lost: the client writes without it, as it does then.
    const isLost = opened.answer.error === "run_in_progress";
    if (!isLost && leaseId === undefined) return refuse("the lease", opened);
    answer.acknowledged = answer.sent;
    for (let n = 0; n < checkpoints; n++) {
      await sleep(random.between(50, 600));
      if (isLost) continue;
      if (random.chance(0.5)) {
        const beaten = await send("POST", `${at}/runs/${leaseId}/heartbeat`, {});
        if (beaten.status !== 200) return refuse("a heartbeat", beaten);
      }
      answer.sent += ` and moss ${n}`;
      const body = { content: contentOf(answer.sent), lease_id: leaseId };
      const written = await send("PUT", `${at}/messages/${messageId}`, body);
      if (written.status !== 200) return refuse("a checkpoint", written);
      answer.acknowledged = answer.sent;
    }
    const last = isLost
      ? await send("POST", `${at}/messages`, { ...stored, content: contentOf(answer.sent) })
      : await send("POST", `${at}/runs/${leaseId}/end`, { reason: "done" });
    if (last.status !== 200) return refuse("the end", last);
    answer.isEnded = true;
  }

  async function writeAnswers(number: number, random: Random): Promise<void> {
    while (!stopping.signal.aborted) await writeAnswer(number, random.fork());
  }

  const clients = Array.from({ length: count }, (_, number) => writeAnswers(number, random.fork()));

  return {
    answers,
    violations,
    async finish(maxMs) {
      stopping.abort();
      await Promise.race([Promise.all(clients), sleep(maxMs, undefined, { ref: false })]);
    },
  };
}
