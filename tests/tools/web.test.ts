import type { ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import type { BodyInputOf } from "#contract/api.ts";
import type { SearchServiceName } from "#contract/web-search/endpoints.ts";
import { articlePage, sendJson, startWebSites, type WebSites } from "#fixtures/web-sites/web-sites.ts";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import {
  answerCall,
  readWholeLog,
  sendAndGetCall,
  sendAndWait,
  textOf,
} from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";

const site = await startWebSites();
afterAll(async () => await site.close());
beforeEach(() => {
  site.requests.length = 0;
  site.pages = { "/robots.txt": robots };
});

const robots = (response: ServerResponse) =>
  void response.writeHead(200, { "Content-Type": "text/plain" }).end("User-agent: *\nDisallow: /private/\n");

const settings = { FETCH_ALLOWED_HOSTS: `127.0.0.1:${site.port}` };
const garden = "Roses need six hours of sun a day, and beans need a pole. ".repeat(10);
const found = { url: "https://garden.example/roses", title: "Roses", text: "Roses need sun." };

describeServer("the web", { model: true, settings }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
  });

  /** Calls a tool, allows it, and returns its result and the parts of the answer. */
  async function call(name: string, args: object, who: Browser = owner) {
    const asked = await sendAndGetCall(who, `Look. tool=${name}(${JSON.stringify(args)})`);
    const [part] = fold(asked.events).parts;
    expect(part).toMatchObject({ approval: { tool: { effect: "reads" } } });
    expect(site.requests).toEqual([]);
    await answerCall(who, asked.run_id, true);
    const { parts } = fold(await readWholeLog(who, asked.run_id));
    return { asked: part, parts, result: (parts[0] as { result: Record<string, unknown> }).result };
  }
  const read = async (path: string) => (await call("read_page", { url: `${site.url}${path}` })).result;
  const sources = (parts: readonly object[]) =>
    parts.filter((part) => "type" in part && part.type === "source");

  const put = async (body: BodyInputOf<"webSearch.put">) => await owner.ask("webSearch.put", { body });

  test("is read only after a person allowed it, and the page is a source of the answer", async () => {
    site.pages["/roses"] = articlePage({
      title: "Roses &amp; beans",
      text: garden,
      more: `<p><a href="/beans?x=1">Beans</a> <a href="javascript:alert(1)">bad</a><img src="https://track.example/1.png" alt="a rose"></p>`,
    });
    const { asked, parts, result } = await call("read_page", { url: `${site.url}/roses` });
    expect(asked).toMatchObject({ approval: { tool: { sendsTo: new URL(site.url).host } } });
    expect(result).toMatchObject({ title: "Roses & beans", url: `${site.url}/roses` });
    const [passage] = result["passages"] as { source: number; text: string }[];
    expect(passage).toMatchObject({
      source: 1,
      text: expect.stringContaining("beans need a pole") as string,
    });
    expect(passage!.text).toContain(`[Beans](${site.url}/beans?x=1)`);
    // Nothing that surrounds the article, no script, and no address of a picture.
    expect(passage!.text).not.toMatch(/Imprint|Accept all|document\.title|javascript:|track\.example/);
    expect(passage!.text).toContain("(picture: a rose)");
    expect(sources(parts)).toMatchObject([{ url: `${site.url}/roses`, title: "Roses & beans" }]);
    expect(site.requests.map(({ url }) => url)).toEqual(["/robots.txt", "/roses"]);
    expect(site.requests[1]!.headers).toMatchObject({ "user-agent": "Parlance" });
    expect(site.requests[1]!.headers.cookie).toBeUndefined();
  });

  test("with a title of megabytes does not end the answer", async () => {
    site.pages["/title"] = articlePage({ title: "字".repeat(1_500_000), text: garden });
    const { parts } = await call("read_page", { url: `${site.url}/title` });
    expect(sources(parts)).toMatchObject([{ url: `${site.url}/title`, title: "字".repeat(300) }]);
    expect(textOf(parts)).toContain("The tools said:");
  });

  test("is fetched once an hour for the same workspace", async () => {
    site.pages["/once"] = articlePage({ title: "Once", text: garden });
    await read("/once");
    site.requests.length = 0;
    await read("/once");
    expect(site.requests).toEqual([]);
  });

  test("is read in pieces if a page is long", async () => {
    const paragraphs = Array.from(
      { length: 400 },
      (_, n) => `<p>Line ${n} of the garden book, which is long.</p>`,
    );
    site.pages["/long"] = articlePage({ title: "Long", text: "", more: paragraphs.join("") });
    let from: number | undefined = 1;
    let text = "";
    while (from !== undefined) {
      const { result } = await call("read_page", { url: `${site.url}/long`, from });
      text += (result["passages"] as { text: string }[])[0]!.text;
      from = result["next"] as number | undefined;
      site.requests.length = 0;
    }
    expect(text).toContain("Line 0 of");
    expect(text).toContain("Line 399 of");
    expect(text.match(/Line \d+/g)).toHaveLength(400);
  });

  test("is read in any encoding, and as PDF or office document", async () => {
    const latin = Buffer.from(
      `<html><head><meta charset="iso-8859-1"><title>Gärten</title></head><body><p>Über Gärten in Köln</p></body></html>`,
      "latin1",
    );
    site.pages["/latin"] = (response) =>
      void response.writeHead(200, { "Content-Type": "text/html" }).end(latin);
    expect(await read("/latin")).toMatchObject({
      title: "Gärten",
      passages: [{ text: "Über Gärten in Köln" }],
    });
    site.requests.length = 0;
    const document = await readFile(new URL("../../fixtures/office/garden.docx", import.meta.url));
    const type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    site.pages["/garden.docx"] = (response) =>
      void response.writeHead(200, { "Content-Type": type }).end(document);
    expect(JSON.stringify(await read("/garden.docx"))).toMatch(/garden/i);
  });

  test.each([
    ["a page that its website closes to programs", "/private/x", /robots\.txt/],
    ["a page that needs scripts", "/app", /no text without its scripts/],
    ["3,000 nested elements", "/deep", /too complex/],
    ["a page that is not there", "/nowhere", /does not return the page/],
    ["a picture", "/picture.png", /not lead to a page/],
    ["a redirect to a private address", "/to-metadata", /cannot be read|private/],
    ["a robots.txt of 600 million rules", "/hostile-rules", /too complex/],
  ])("%s costs only the call a message", async (_, path, message) => {
    const pages: WebSites["pages"] = {
      "/private/x": articlePage({ title: "No", text: garden }),
      "/app": `<html><body><div id="root"></div><script src="/app.js"></script></body></html>`,
      "/deep": `<html><body>${"<div>".repeat(3_000)}deep</body></html>`,
      "/picture.png": (response) => void response.writeHead(200, { "Content-Type": "image/png" }).end("x"),
      "/to-metadata": (response) =>
        void response.writeHead(302, { Location: "http://169.254.169.254/latest" }).end(),
    };
    Object.assign(site.pages, pages);
    if (path === "/hostile-rules") {
      // Another hour, so that the site’s former rules do not count. Each agent has each rule.
      server().clock.advance(60 * 60_000);
      const rules = "User-agent:*\n".repeat(20_000) + "Allow:/\n".repeat(30_000);
      site.pages["/robots.txt"] = (response) =>
        void response.writeHead(200, { "Content-Type": "text/plain" }).end(rules);
    }
    const { result, parts } = await call("read_page", { url: `${site.url}${path}` });
    expect(result["error"]).toMatch(message);
    expect(sources(parts)).toEqual([]);
    expect(textOf(parts)).toContain("The tools said:");
  });

  test.each(["http://127.0.0.1:1/", "http://10.0.0.1/", "file:///etc/passwd", "http://[::1]/", "garden"])(
    "%s is not read",
    async (url) => {
      const { result } = await call("read_page", { url });
      expect(result["error"]).toMatch(/cannot be read|complete address/);
    },
  );

  test("is searched only if an administrator has entered a service", async () => {
    await owner.fails("web-search-not-set", "webSearch.remove");
    await owner.fails("web-search-not-set", "webSearch.test", { body: { query: "roses" } });
    const answer = await sendAndWait(owner, 'Look. tool=search_web({"query":"roses"})');
    expect(answer.reply.parts[0]).toMatchObject({ isError: true });
    const member = await join(owner, { email: "mia@example.com" });
    for (const name of ["webSearch.get", "webSearch.remove"] as const)
      await member.fails("not-allowed", name);
    expectProblem(await put({ service: "searxng", address: null }), "bad-request");
    expectProblem(await put({ service: "brave", address: null }), "bad-request");
    expectProblem(await put({ service: "searxng", address: "ftp://search.example.com" }), "bad-request");
    // Only owners may reach into the server's own network.
    const admin = await join(owner, { email: "admin@example.com", role: "admin" });
    const body = { service: "searxng" as const, address: site.url };
    await admin.fails("provider-private", "webSearch.put", { body });
  });

  const { url, title, text } = found;
  const services: [SearchServiceName, string, unknown, (key: string) => object][] = [
    ["searxng", "/search", { results: [{ url, title, content: text }] }, () => ({ method: "GET" })],
    [
      "brave",
      "/res/v1/web/search",
      { web: { results: [{ url, title, description: text }] } },
      (key) => ({ headers: { "x-subscription-token": key } }),
    ],
    [
      "tavily",
      "/search",
      { results: [{ url, title, content: text }] },
      (key) => ({
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: '{"query":"roses","max_results":5}',
      }),
    ],
    [
      "exa",
      "/search",
      { results: [{ url, title, highlights: [text] }] },
      (key) => ({ method: "POST", headers: { "x-api-key": key } }),
    ],
    [
      "kagi",
      "/search",
      { data: { search: [{ url, title, snippet: text }] } },
      (key) => ({ method: "POST", headers: { authorization: `Bearer ${key}` } }),
    ],
  ];
  test.each(services)(
    "is searched with %s, whose key it keeps to itself",
    async (service, path, answer, request) => {
      const key = `key-of-${service}`;
      expect((await put({ service, address: `${site.url}/`, key })).status).toBe(200);
      expect(await owner.call("webSearch.get")).toEqual({
        settings: { service, address: site.url, has_key: true },
      });
      const stored = await rawSql(
        server().place,
        async (run) => await run("select * from web_search_secrets"),
      );
      expect(JSON.stringify(stored)).not.toContain(key);
      site.pages[path] = (response) => sendJson(response, 200, answer);
      const { asked, parts, result } = await call("search_web", { query: "roses" });
      // The card says which server gets the words.
      expect(asked).toMatchObject({ approval: { tool: { sendsTo: `127.0.0.1:${site.port}` } } });
      expect(result).toMatchObject({ passages: [{ source: 1, ...found }] });
      expect(sources(parts)).toMatchObject([{ url, title }]);
      expect(site.requests).toMatchObject([{ ...request(key) }]);
      // With another server, the key has to be entered again.
      if (service !== "searxng")
        expectProblem(await put({ service, address: `${site.url}/other` }), "bad-request");
      expect((await put({ service, address: site.url })).status).toBe(200);
    },
  );

  test.each([
    ["a wrong key", 401, { detail: { error: "Unauthorized: missing or invalid API key." } }, "key-refused"],
    ["a used up account", 429, { message: "Too many requests" }, "used-up"],
    ["a failure", 500, { error: "out of order" }, "refused"],
    ["a page instead of an answer", 200, "<html>", "not-understood"],
  ] as const)("is tested on the screen: %s", async (_, status, answer, problem) => {
    await put({ service: "tavily", address: site.url, key: "k" });
    site.pages["/search"] = (response) => sendJson(response, status, answer);
    const result = await owner.call("webSearch.test", { body: { query: "roses" } });
    expect(result).toMatchObject({ problem, titles: [] });
  });

  test("says that SearXNG must allow JSON", async () => {
    await put({ service: "searxng", address: site.url });
    site.pages["/search"] = (response) => void response.writeHead(403).end("Forbidden");
    const result = await owner.call("webSearch.test", { body: { query: "roses" } });
    expect(result).toMatchObject({ problem: "json-off", service_text: "Forbidden" });
    site.pages["/search"] = (response) =>
      sendJson(response, 200, { results: [found, { url: "javascript:x" }] });
    expect(await owner.call("webSearch.test", { body: { query: "roses" } })).toMatchObject({
      problem: null,
      titles: ["Roses"],
    });
  });

  test("does not send the key to another host by a redirect", async () => {
    await put({ service: "exa", address: site.url, key: "k" });
    site.pages["/search"] = (response) =>
      void response.writeHead(307, { Location: `${site.url}/elsewhere` }).end();
    expect(await owner.call("webSearch.test", { body: { query: "roses" } })).toMatchObject({
      problem: "refused",
    });
    expect(site.requests.map(({ url: path }) => path)).toEqual(["/search"]);
    expect((await owner.ask("webSearch.remove")).status).toBe(200);
    expect(await owner.call("webSearch.get")).toEqual({ settings: null });
  });
});
