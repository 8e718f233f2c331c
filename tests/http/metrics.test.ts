import { expect, vi } from "vitest";
import { userMessage } from "#fixtures/people.ts";
import { sendAndWait, startRun, waitForFirstWord } from "../support/clients/conversation.ts";
import { describeServer, test, startTestServer, type TestServer } from "../support/servers/server.ts";

const token = "the token of the scraper";

async function scrape(server: TestServer): Promise<string> {
  const { status, headers, text } = await server.guest.send("GET", "/metrics", {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect([status, headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
  return text;
}

/** The value of one time series; 0 if there is none. */
function valueOf(text: string, series: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? 0 : Number(line.slice(series.length));
}

describeServer("metrics", { model: true, settings: { METRICS_TOKEN: token } }, (server) => {
  test("count requests by route, runs by model, tokens, commits and errors", async ({ ada }) => {
    const talk = await sendAndWait(ada, "tokens=5");
    for (let i = 0; i < 3; i++) await ada.send("GET", `/v1/threads/${talk.thread_id}`);
    await ada.send("GET", "/v1/threads/thread_0nobody");
    await ada.send("GET", "/v1/nothing");
    await server().guest.send("GET", "/nothing/at/all");
    const route = 'route="/v1/threads/{thread_id}",method="GET"';
    await vi.waitFor(async () => {
      const text = await scrape(server());
      const value = (series: string) => valueOf(text, series);
      expect(value(`parlance_http_requests_total{${route},status="2xx"}`)).toBeGreaterThanOrEqual(3);
      expect(value(`parlance_http_requests_total{${route},status="4xx"}`)).toBe(1);
      expect(value('parlance_http_requests_total{route="other",method="GET",status="4xx"}')).toBe(2);
      expect(value(`parlance_http_request_duration_seconds_count{${route}}`)).toBeGreaterThanOrEqual(4);
      expect(value('parlance_http_errors_total{code="thread-not-found"}')).toBe(1);
      const model = /parlance_runs_total\{state="completed",model="([^"]+)"\} 1\n/.exec(text)?.[1];
      expect(model).toContain("fixture-1");
      expect(value(`parlance_time_to_first_token_seconds_count{model="${model}"}`)).toBe(1);
      expect(value(`parlance_tokens_total{kind="output",model="${model}"}`)).toBeGreaterThan(0);
      expect(value("parlance_database_write_seconds_count")).toBeGreaterThan(0);
      expect(value("parlance_database_size_bytes")).toBeGreaterThan(4_096);
      expect(value("parlance_queued_messages")).toBe(0);
      expect(value("parlance_runs_in_progress")).toBe(0);
      expect(value("nodejs_eventloop_lag_p99_seconds")).toBeGreaterThan(0);
      expect(text).not.toContain(talk.thread_id);
    });
  });

  test("show runs and queued messages only while there are some", async ({ ada }) => {
    const values = async () => {
      const text = await scrape(server());
      return ["parlance_runs_in_progress", "parlance_queued_messages"].map((name) => valueOf(text, name));
    };
    const talk = await startRun(ada, "Go on\n\nendless gap=20");
    await waitForFirstWord(ada, talk.run_id);
    const params = { thread_id: talk.thread_id };
    const message = { parent_id: talk.reply_id, content: userMessage("And then? tokens=1") };
    expect((await ada.ask("runs.start", { params, body: { message } })).status).toBe(202);
    await expect.poll(async () => await values()).toEqual([1, 1]);
    await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    await expect.poll(async () => await values()).toEqual([0, 0]);
  });

  test("show streams only while they are open", async () => {
    const feed = await server().inNewWorkspace().live();
    await expect.poll(async () => valueOf(await scrape(server()), "parlance_open_streams")).toBe(1);
    feed.close();
    await expect.poll(async () => valueOf(await scrape(server()), "parlance_open_streams")).toBe(0);
    expect(await scrape(server())).not.toContain('duration_seconds_count{route="/v1/live"');
  });

  test("require the token", async () => {
    for (const headers of [{}, { Authorization: "Bearer wrong" }, server().person("ada").headers])
      expect((await server().guest.send("GET", "/metrics", { headers })).status).toBe(401);
  });
});

test("metrics can be served alone on a separate port", async () => {
  const server = await startTestServer({ engine: "sqlite", settings: { METRICS_PORT: "0" } });
  const own = `http://127.0.0.1:${server.metricsPort}`;
  const answer = await fetch(`${own}/metrics`);
  expect([answer.status, await answer.text()]).toEqual([
    200,
    expect.stringContaining("parlance_open_streams 0\n"),
  ]);
  expect((await fetch(`${own}/v1/threads`)).status).toBe(404);
  expect((await server.guest.send("GET", "/metrics")).status).toBe(404);
  await server.close();
});
