import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listenLocally } from "../../fixtures/local-server.ts";
import { freePort } from "../../tests/support/postgres/postgres-cluster.ts";
import { chat } from "../support/chat.ts";
import { launchChromium } from "../support/chromium.ts";
import { forward } from "../support/counting-proxy.ts";
import { startServer, type ServerProcess } from "../support/server.ts";
import { visit } from "../support/visit.ts";

let browser: Browser;
let server: ServerProcess;
let close: (() => Promise<void>) | undefined;

beforeAll(async () => {
  const pem = await readFile(new URL("../support/self-signed.pem", import.meta.url));
  const port = await freePort();
  const proxy = createServer({ key: pem, cert: pem }, (request, response) =>
    forward(`http://127.0.0.1:${port}`, request, response),
  );
  const local = await listenLocally(proxy);
  close = local.close;
  const PUBLIC_URL = `https://127.0.0.1:${local.port}`;
  server = await startServer({ PORT: String(port), PUBLIC_URL, TRUST_PROXY: "1" });
  browser = await launchChromium(["--ignore-certificate-errors"]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await close?.();
});

test("signs visitors and the owner in over https, with a cookie that only this host can set", async () => {
  const { port } = new URL(server.url);
  const ada = await visit(browser, server.url, { networkErrorsExpected: true });
  const cookies = async () =>
    (await ada.context.cookies()).map(({ name, secure, httpOnly, sameSite }) => ({
      name,
      secure,
      httpOnly,
      sameSite,
    }));
  const cookie = { name: `__Host-parlance_${port}`, secure: true, httpOnly: true, sameSite: "Strict" };
  const { ask, settled, answers, questions } = chat(ada.page);
  await ask("What is 15% of 240?");
  await settled();
  expect(await answers.first().innerText()).toContain("36");
  expect(await cookies()).toEqual([cookie]);
  await ada.page.reload();
  await questions.first().waitFor();

  const owner = await ada.tab(server.ownerLink);
  await owner.waitForURL(`${server.url}/`);
  await owner.goto("/settings/sessions");
  await owner.getByText("This device").waitFor();
  // The second one tells later that somebody has signed in with this browser.
  expect(await cookies()).toEqual([cookie, { ...cookie, name: `${cookie.name}_browser` }]);
});
