import { afterAll, beforeAll, expect, test } from "vitest";
import { errors, type ErrorCode } from "#contract/errors.ts";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { providerKindIds, type ProviderKindId } from "#contract/provider-kinds.ts";
import type { FinishReason } from "#contract/run-events.ts";
import { startModelServer, type ModelServer } from "#fixtures/model-server/model-server.ts";
import { userMessage } from "#fixtures/people.ts";
import { branchOf, readWholeLog, textOf } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer, type TestServer } from "../support/servers/server.ts";

const apiKey = "sk-secret-9876";

/** What the provider does, as the fixture's directives, and how the run ends: its error, and how many words are kept. */
const failures: Record<string, [directives: string, code: ErrorCode, words: number]> = {
  "resets the connection": ["\nreset", "provider-unreachable", 0],
  "does not speak HTTP": ["body=ssh", "provider-unreachable", 0],
  "sends a header of 100 kB": ["tokens=3 head=100000", "provider-unreachable", 0],
  "redirects to another host": ["redirect=OTHER", "provider-unreachable", 0],
  "is a web page": ["\nhtml", "provider-not-a-model", 0],
  "is a web page, not found": ["status=404\nhtml", "provider-not-a-model", 0],
  "is another service": ["body=text", "provider-not-a-model", 0],
  "sends an empty body": ["body=none", "provider-broke-off", 0],
  "sends invalid JSON": ["body=json", "provider-broke-off", 0],
  "sends an error without an end": ["status=500 retry-after=60 body=endless", "provider-overloaded", 0],
  "sends a gzip bomb": ["body=bomb", "provider-broke-off", 0],
  "sends an error as a gzip bomb": ["status=500 retry-after=60 body=bomb", "provider-overloaded", 0],
  "sends an error with status 200": [
    "status=200 code=overloaded_error says=overloaded",
    "provider-overloaded",
    0,
  ],
  "refuses the request": ["status=400 says=The_secret_reason", "provider-refused", 0],
  "refuses the content": ["status=400 code=content_filter says=content_filter", "content-filtered", 0],
  "finds the conversation too long": ["status=400 says=prompt_is_too_long", "context-too-long", 0],
  "refuses the key": ["status=401", "provider-refused-key", 0],
  "wants money": ["status=402", "provider-no-credit", 0],
  "has no quota": ["status=429 retry-after=60 says=insufficient_credits", "provider-no-credit", 0],
  "does not know the model": ["status=404 says=The_model_does_not_exist", "provider-model-unknown", 0],
  "asks to wait": ["status=429 retry-after=60", "provider-rate-limited", 0],
  "is overloaded": ["status=503 retry-after=60", "provider-overloaded", 0],
  "drops the connection in the middle": ["tokens=9 die=5", "provider-broke-off", 5],
  "ends in the middle": ["tokens=9 cut=5", "provider-broke-off", 5],
  "fails in the middle": [
    "tokens=9 fault=5 code=overloaded_error says=overloaded:_the_secret_reason",
    "provider-overloaded",
    5,
  ],
};

/** The same for a provider that the server waits for. */
const silences: typeof failures = {
  "sends nothing": ["wait=60000", "provider-silent", 0],
  "sends only headers": ["first=60000", "provider-silent", 0],
  "sends comments without an end": ["first=60000 comments=50", "provider-silent", 0],
  "stops in the middle": ["tokens=9 stall=5", "provider-silent", 5],
};

/** What the provider does without a failure of the run: its finish reason, and how many words are kept. */
const oddities: Record<string, [directives: string, reason: FinishReason, words: number]> = {
  "is slow": ["tokens=5 first=300 gap=100", "stop", 5],
  "sends five bytes at a time": ["tokens=5\ntrickle", "stop", 5],
  "sends the stream as text": ["tokens=5 type=text/plain", "stop", 5],
  "drops the connection after the answer": ["tokens=5\nlate-death", "stop", 5],
  "reaches its length limit": ["tokens=5 finish=length", "length", 5],
  "filters the answer": ["tokens=5 finish=content_filter", "content-filter", 5],
  "ends for an unknown reason": ["tokens=5 finish=something_new", "other", 5],
  "sends invalid JSON in the middle": ["tokens=9 nonsense=5", "stop", 9],
  "sends the wrong shape in the middle": ["tokens=9 odd=wrong-shape", "stop", 9],
  "sends an event of a new type": ["tokens=9 odd=new-event", "stop", 9],
  "refuses in words": ["finish=content_filter\nrefuses", "content-filter", 5],
};

/** Mistral has no refusals. */
const exceptions: Partial<Record<ProviderKindId, string>> = { mistral: "refuses in words" };

/** Events that the SDK of a kind does not know, by their names in its wire, and how many words are kept. */
const unknownEvents: Record<(typeof own)[number], Record<string, number>> = {
  openai: { "new-item": 9, "new-part": 9, untitled: 9, "odd-text": 10 },
  anthropic: { "new-item": 9, "new-part": 9, "orphan-result": 9, "odd-end": 9 },
  google: { "new-part": 9, "odd-text": 10, "token-details": 9 },
  mistral: { "new-role": 10, "no-choices": 9 },
  "openai-compatible": { "new-role": 10, "no-choices": 9 },
};

function tableOf<Row>(kind: ProviderKindId, table: Record<string, Row>): [name: string, row: Row][] {
  return Object.entries(table).filter(([name]) => name !== exceptions[kind]);
}

/** The kinds with an API of their own. */
const own = ["openai", "anthropic", "google", "mistral", "openai-compatible"] as const;

/** One provider of each kind, all at the same stand-in. */
function useProviders(server: () => TestServer) {
  const started = {} as { service: ModelServer; other: ModelServer };
  beforeAll(async () => {
    started.service = await startModelServer({ apiKey });
    started.other = await startModelServer();
    const owner = await server().owner();
    const origin = `http://127.0.0.1:${started.service.port}`;
    for (const kind of providerKindIds) {
      const base_url = kind === "google" ? `${origin}/v1beta` : `${origin}/v1`;
      const models = [{ id: "fixture-1", name: "" }];
      await owner.call("providers.create", {
        body: { kind, name: kind, base_url, api_key: apiKey, models },
      });
    }
  });
  afterAll(async () => {
    await started.service.close();
    await started.other.close();
  });

  async function ask(who: Visitor, kind: ProviderKindId, question: string) {
    const run = await who.call("runs.start", {
      params: { thread_id: newId("thread") },
      body: {
        model: `${kind}/fixture-1`,
        message: { parent_id: null, content: userMessage(question.replace("OTHER", started.other.url)) },
      },
    });
    const { end, parts } = fold(await readWholeLog(who, run.run_id));
    const text = textOf(parts);
    const { thread_id: threadId } = (await who.call("runs.get", { params: { run_id: run.run_id } })).run;
    const stored = (await branchOf(who, threadId!)).at(-1)!;
    expect(stored.content.content).toEqual(parts);
    expect(JSON.stringify([end, stored])).not.toMatch(/secret reason|127\.0\.0\.1/);
    return { end: end!, parts, words: text === "" ? 0 : text.trim().split(/\s+/).length, text };
  }

  /** Asks whatever the table says, all at once, and returns what `describe` makes of each. */
  async function askAll<Row extends [string, string, number], Shown>(
    kind: ProviderKindId,
    table: Record<string, Row>,
    describe: (asked: Awaited<ReturnType<typeof ask>>) => Shown,
  ): Promise<Record<string, Shown>> {
    const shown = tableOf(kind, table).map(async ([name, [directives]]) => {
      const asked = await ask(server().inNewWorkspace(), kind, `It ${name}. ${directives}`);
      return [name, describe(asked)] as const;
    });
    return Object.fromEntries(await Promise.all(shown));
  }

  async function expectFailures(kind: ProviderKindId, table: typeof failures): Promise<void> {
    const shown = await askAll(kind, table, ({ end: { state, error }, words }) => {
      if (error !== undefined) expect(error.message).toBe(errors[error.code].message);
      return [state, error?.code, words];
    });
    const expected = tableOf(kind, table).map(([name, [, code, words]]) => [name, ["failed", code, words]]);
    expect(shown).toEqual(Object.fromEntries(expected));
  }

  return { started, ask, askAll, expectFailures };
}

// The database does not matter.
describeServer("a provider that", { on: ["sqlite"] }, (server) => {
  const { started, ask, askAll, expectFailures } = useProviders(server);

  test.for(providerKindIds)("fails says so in words and keeps what it sent (%s)", async (kind) => {
    await expectFailures(kind, failures);
    expect(started.other.requests).toEqual([]);
  });

  test.concurrent.for(own)("behaves oddly gets its answer shown all the same (%s)", async (kind) => {
    const shown = await askAll(kind, oddities, ({ end, words }) => [end.state, end.finishReason, words]);
    const expected = tableOf(kind, oddities).map(([name, [, reason, words]]) => [
      name,
      ["completed", reason, words],
    ]);
    expect(shown).toEqual(Object.fromEntries(expected));
  });

  test.for(own)(
    "sends an event that nobody knows loses that event, and no text, end or count (%s)",
    async (kind) => {
      const names = Object.entries(unknownEvents[kind]);
      const shown = names.map(async ([name]) => {
        const { end, words } = await ask(
          server().inNewWorkspace(),
          kind,
          `It is ${name}. tokens=9 odd=${name}`,
        );
        // Mistral sends the usage without an option, in another event than the fixture.
        const isCounted = kind === "mistral" || (end.usage.output ?? 0) > 0;
        return [name, end.state, end.finishReason, words, isCounted];
      });
      expect(await Promise.all(shown)).toEqual(
        names.map(([name, words]) => [name, "completed", "stop", words, true]),
      );
    },
  );

  test.for(own)("sends such an event and then fails or breaks off has failed (%s)", async (kind) => {
    for (const how of ["fault=5 says=overloaded", "die=5", "cut=5"]) {
      const { end, words } = await ask(
        server().inNewWorkspace(),
        kind,
        `It ends. tokens=9 odd=wrong-shape ${how}`,
      );
      expect([how, end.state, words]).toEqual([how, "failed", 5]);
    }
  });

  test("cites a page without a title gets it shown as a source", async () => {
    const { parts } = await ask(server().inNewWorkspace(), "openai", "Cite. tokens=9 odd=untitled");
    expect(parts).toContainEqual(
      expect.objectContaining({ type: "source", url: "https://example.org/untitled" }),
    );
  });

  test.for(["mistral", "openai-compatible"] as const)(
    "ends without a reason, but says that it is done, has answered (%s)",
    async (kind) => {
      const { end, words } = await ask(server().inNewWorkspace(), kind, "Done. tokens=5 finish=none");
      expect([end.state, end.finishReason, words]).toEqual(["completed", "stop", 5]);
      if (kind !== "mistral") expect(end.usage.output).toBe(5);
      const empty = await ask(server().inNewWorkspace(), kind, "Nothing. tokens=0 finish=none");
      expect(empty.end.error?.code).toBe("provider-broke-off");
      const called = await ask(server().inNewWorkspace(), kind, 'Add. tool=calculate("1+1") finish=none');
      expect([called.end.state, called.text]).toEqual(["completed", expect.stringContaining("2")]);
    },
  );

  test.for(["openai", "mistral", "openai-compatible"] as const)(
    "sends the arguments of a tool as JSON gets its result (%s)",
    async (kind) => {
      const { end, text } = await ask(
        server().inNewWorkspace(),
        kind,
        'Add. args=json tool=calculate("1+1")',
      );
      expect([end.state, text]).toEqual(["completed", expect.stringMatching(/The tools said: .*2/)]);
    },
  );

  test.for(providerKindIds)(
    "counts tokens oddly loses no text, and its counts are not stored (%s)",
    async (kind) => {
      const { end, words } = await ask(server().inNewWorkspace(), kind, "tokens=5 usage=odd");
      expect([end.state, end.finishReason, words]).toEqual(["completed", "stop", 5]);
      expect(Object.values(end.usage).filter((count) => !Number.isSafeInteger(count) || count < 0)).toEqual(
        [],
      );
    },
  );

  test.for(own)("sends too much is cut off, and others are answered meanwhile (%s)", async (kind) => {
    const before = started.service.requests.length;
    const who = server().inNewWorkspace();
    const big = Promise.all([
      ask(who, kind, "Please\nhuge endless"),
      ask(who, kind, "One event of 10 MiB event=10"),
      ask(who, kind, "No end of the line tokens=9 flood=5"),
      ask(who, kind, "No end of the JSON body=endless"),
    ]);
    let isOver = false;
    void big.finally(() => (isOver = true));
    let answered = 0;
    while (!isOver) {
      expect((await who.ask("threads.list")).status).toBe(200);
      answered++;
    }
    const [endless, event, line, json] = await big;
    for (const { end } of [endless, event]) expect(end.error?.code).toBe("answer-too-long");
    expect(endless.text.length).toBeGreaterThan(1024 * 1024);
    expect([line.end.error?.code, line.words]).toEqual(["provider-broke-off", 5]);
    expect(json.end.error?.code).toBe("provider-broke-off");
    expect(answered).toBeGreaterThan(3);
    for (const { sentBytes } of started.service.requests.slice(before))
      expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
  });
});

const modelTimeouts = { silenceMs: 3_000, noOutputMs: 3_000 };
describeServer(
  "a provider that the server waits for and that",
  { on: ["sqlite"], modelTimeouts },
  (server) => {
    const { expectFailures } = useProviders(server);

    test.concurrent.for(own)(
      "is silent is given up (%s)",
      async (kind) => await expectFailures(kind, silences),
    );
  },
);
