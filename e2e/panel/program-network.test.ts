import { createSocket } from "node:dgram";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { startEnvironment, test } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { visit } from "../support/visit.ts";
import { waysToConnect } from "./ways-to-connect.ts";

const environment = startEnvironment();

/** A STUN server of a stranger that only counts packets. */
async function listen() {
  const socket = createSocket("udp4");
  let packets = 0;
  const first = new Promise<void>((received) => {
    socket.on("message", () => {
      packets += 1;
      received();
    });
  });
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound));
  return {
    stun: `stun:127.0.0.1:${socket.address().port}`,
    packets: () => packets,
    first,
    close: () => socket.close(),
  };
}

/** A connection of the page itself, whose packets show that those of a program would have arrived too. */
async function connectFromPage(page: Page): Promise<void> {
  const server = await listen();
  await page.evaluate((urls) => {
    const connection = new RTCPeerConnection({ iceServers: [{ urls }] });
    connection.createDataChannel("data");
    void connection.setLocalDescription();
  }, server.stun);
  await server.first;
  server.close();
}

/** Passes a program to a frame of its own, as the panel does. Ends when the frame has received it. */
async function runInFrame(page: Page, source: string): Promise<void> {
  await page.evaluate(async (program) => {
    const frame = document.createElement("iframe");
    frame.sandbox.add("allow-scripts");
    frame.src = "/program";
    document.body.append(frame);
    await new Promise((loaded) => frame.addEventListener("load", loaded, { once: true }));
    const { port1, port2 } = new MessageChannel();
    const received = new Promise((alive) => port1.addEventListener("message", alive, { once: true }));
    port1.start();
    frame.contentWindow?.postMessage({ source: program }, "*", [port2]);
    await received;
  }, source);
}

/** Changes what the server sends as the frame of programs. */
async function changeFrame(
  page: Page,
  change: (frame: { headers: Record<string, string>; body: string }) => {
    headers?: Record<string, string>;
    body?: string;
  },
): Promise<void> {
  await page.route("**/program", async (route) => {
    const response = await route.fetch();
    const { "content-length": _, "content-encoding": __, ...headers } = response.headers();
    const frame = { headers, body: await response.text() };
    await route.fulfill({ response, ...frame, ...change(frame) });
  });
}

test("keeps programs from connecting by WebRTC, in each way to make a frame, in a browser without allowlists", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  await changeFrame(ada.page, ({ headers: { "connection-allowlist": _, ...headers } }) => ({ headers }));
  const servers = await Promise.all(
    Object.entries(waysToConnect).map(async ([name, way]) => {
      const server = await listen();
      await runInFrame(ada.page, way(server.stun));
      return { name, ...server };
    }),
  );
  // The connections of the page begin later than those of the programs.
  for (let i = 0; i < 10; i++) await connectFromPage(ada.page);
  expect(servers.filter(({ packets }) => packets() > 0).map(({ name }) => name)).toEqual([]);
  for (const { close } of servers) close();
  await ada.context.close();
});

test("lets Chromium refuse connections by WebRTC to a frame in which nothing else prevents them", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const server = await listen();
  const connect = `<script>
    const connection = new RTCPeerConnection({ iceServers: [{ urls: "${server.stun}" }] });
    connection.createDataChannel("data");
    connection.setLocalDescription();
    addEventListener("message", ({ ports: [port] }) => port?.postMessage("alive"));
  </script>`;
  await changeFrame(ada.page, () => ({ body: connect }));
  await runInFrame(ada.page, "");
  for (let i = 0; i < 10; i++) await connectFromPage(ada.page);
  expect(server.packets()).toBe(0);
  server.close();
  await ada.context.close();
});

test("runs no program in a browser that copies shadow trees against its will", async ({ ada }) => {
  const copyAll = `{
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, clonable: true }) };
  }`;
  await changeFrame(ada.page, ({ body }) => ({ body: body.replace("<script>", () => `<script>${copyAll}`) }));
  await ada.page.goto(
    await storeThread(ada.page, [
      { role: "user", content: [{ type: "text", text: "Make" }] },
      {
        role: "assistant",
        content: [
          {
            type: "text",
            text: "```html\n<!doctype html><title>A</title><script>top.postMessage('ran', '*')</script>\n```",
          },
        ],
      },
    ]),
  );
  await ada.page.evaluate(
    "addEventListener('message', ({ data }) => { if (data === 'ran') document.title = 'ran' })",
  );
  await ada.page.getByRole("button", { name: "Open", exact: true }).click();
  const panel = ada.page.getByRole("region", { name: "Panel" });
  await panel.getByRole("button", { name: "Run" }).click();
  await panel.getByRole("alert").waitFor();
  expect(await panel.locator("iframe").count()).toBe(0);
  expect(await ada.page.title()).not.toBe("ran");
  await ada.context.close();
});

/** A page of many kinds of what models write, which prints what works. */
const ordinary = `<!doctype html>
<title>Ordinary</title>
<style>p { color: rgb(1, 2, 3) }</style>
<template id="row"><li><slot>Row</slot></li></template>
<form><input name="a" value="1" /></form>
<canvas width="2" height="2"></canvas><img id="drawn" /><img id="inline" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='3' height='3'/>" />
<my-card><b>Slotted</b></my-card>
<script>
  const works = [];
  document.write("<table id=t><tbody>");
  for (const name of ["Apples", "Pears"]) document.write("<tr><td>", name, "<td class=s", ">", name.length);
  document.writeln("</table><pre>It costs");
  document.writeln("two euros</pre>");
  works.push("write " + [...t.rows].map((row) => row.innerText.trim().replace(/\\s+/, "=")).join() + " " + JSON.stringify(document.querySelector("pre").innerText.trim()));
</script>
<p>Text</p>
<script>
  customElements.define("my-card", class extends HTMLElement {
    constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<style>b { color: red }</style><i>Card</i><slot></slot>" }
    connectedCallback() { works.push("card " + this.shadowRoot.querySelector("slot").assignedElements().length) }
  });
  const list = document.createElement("ul");
  for (let i = 0; i < 3; i++) list.append(document.getElementById("row").content.cloneNode(true));
  document.body.append(list, document.importNode(document.querySelector("p"), true), document.querySelector("my-card").cloneNode(true));
  works.push("template " + list.children.length, "style " + getComputedStyle(document.querySelector("p")).color);
  const { context = document.querySelector("canvas").getContext("2d") } = {};
  context.fillRect(0, 0, 1, 1);
  works.push("canvas " + context.getImageData(0, 0, 1, 1).data[3], "eval " + eval("1 + 1") + new Function("return 3")());
  works.push("form " + new FormData(document.forms[0]).get("a"));
  list.insertAdjacentHTML("beforeend", "<li onclick=works.push(this.tagName)>");
  list.lastChild.click();
  const loaded = (image) => image.decode().then(() => works.push(image.id + " " + image.naturalWidth));
  document.querySelector("canvas").toBlob(async (blob) => {
    drawn.src = URL.createObjectURL(blob);
    await loaded(drawn);
    await loaded(document.getElementById("inline"));
    document.body.innerHTML += "<p>New";
    console.log("works: " + works.join("; "));
  });
</script>`;

test("runs an ordinary page with custom elements, templates, forms, pictures and write", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  await page.goto(
    await storeThread(page, [
      { role: "user", content: [{ type: "text", text: "Make" }] },
      { role: "assistant", content: [{ type: "text", text: `\`\`\`html\n${ordinary}\n\`\`\`` }] },
    ]),
  );
  await page.getByRole("button", { name: "Open", exact: true }).click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByRole("button", { name: "Run" }).click();
  await panel.getByRole("button", { name: /^Console/ }).click();
  const printed = panel.getByText(/^works: /);
  await printed.waitFor();
  expect((await printed.innerText()).split("; ")).toEqual([
    'works: write Apples=6,Pears=5 "It costs\\ntwo euros"',
    "card 1",
    "card 1",
    "template 3",
    "style rgb(1, 2, 3)",
    "canvas 255",
    "eval 23",
    "form 1",
    "LI",
    "drawn 2",
    "inline 3",
    "card 1",
    "card 1",
  ]);
  await ada.context.close();
});
