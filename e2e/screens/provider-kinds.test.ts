import { createHash, randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Receipt } from "#contract/endpoints/receipts.ts";
import type { Json } from "#contract/json.ts";
import { providerKinds, type ProviderKindId } from "#contract/provider-kinds.ts";
import { startModelServer, type ModelServer } from "../../fixtures/model-server/model-server.ts";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });

/** Ends the names of models: the providers of an attempt that failed remain. */
const newSuffix = () => randomUUID().slice(0, 6);

const answerPaths: Record<ProviderKindId, string> = {
  openai: "/v1/responses",
  anthropic: "/v1/messages",
  google: "/v1beta/models/google-MODEL:streamGenerateContent?alt=sse",
  mistral: "/v1/chat/completions",
  openrouter: "/v1/chat/completions",
  groq: "/v1/chat/completions",
  azure: "/v1/responses",
  ollama: "/v1/chat/completions",
  "openai-compatible": "/v1/chat/completions",
};

/** Connects a provider of this kind on the screen, after a test of the connection. */
async function connect(page: Page, kind: ProviderKindId, service: ModelServer): Promise<void> {
  const { url: serverUrl } = environment.server;
  await page.goto(`${serverUrl}/settings/models`);
  const name = kind === "openai-compatible" ? "OpenAI-compatible server" : providerKinds[kind].name;
  await page.getByRole("main").getByRole("link", { name, exact: true }).last().click();
  await page.getByLabel(/^API key/).fill("sk-1");
  const url = page.getByLabel("Base URL");
  if (await url.isHidden()) await page.getByText("Name, URL and models").click();
  const origin = `http://127.0.0.1:${service.port}`;
  await url.fill(kind === "google" ? `${origin}/v1beta` : kind === "ollama" ? origin : `${origin}/v1`);
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText(/^It works\./).waitFor();
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page
    .getByText(/ is connected\.$/)
    .first()
    .waitFor();
  await page.goto(serverUrl);
}

async function visitAsOwner() {
  const owner = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
  });
  await owner.page.waitForURL(`${environment.server.url}/`);
  return owner;
}

async function chooseModel(page: Page, model: string): Promise<void> {
  await page.getByRole("button", { name: /^Model: / }).click();
  await page.getByRole("menuitemradio", { name: new RegExp(model) }).click();
}

test("a long chat is compacted and that is undone, two providers answer side by side, and the receipt has what each received", async () => {
  const owner = await visitAsOwner();
  const { page } = owner;
  const { ask, answers, settled } = chat(page);
  const suffix = newSuffix();
  const [cellar, cloud] = [`cellar-${suffix}`, `cloud-${suffix}`];
  const [near, far] = [
    await startModelServer({ apiKey: "sk-1", models: [cellar], contextTokens: 8_000 }),
    await startModelServer({ apiKey: "sk-1", models: [cloud] }),
  ];
  await connect(page, "openai-compatible", near);
  await connect(page, "anthropic", far);
  await chooseModel(page, cellar);
  const lastAsked = ({ requests }: ModelServer) =>
    requests.findLast(({ body }) => body?.["stream"] === true)!.rawBody;

  // The chat grows until the composer shows how full the context is.
  const gauge = page.getByRole("button", { name: /^Context: \d+% used$/ });
  const filler = "The garden needs water in the morning and again at night. ".repeat(48);
  for (let count = 1; count <= 9 && !(await gauge.isVisible()); count++) {
    await ask(`Fact ${count} is green.\n${filler} tokens=3`);
    await expect.poll(async () => await answers.count()).toBe(count);
    await settled();
  }
  await gauge.click();
  await page.getByRole("button", { name: "Summarize earlier messages" }).click();
  const line = page.getByRole("button", { name: /^Summary of the \d+ messages above$/ });
  await line.waitFor();
  await page.keyboard.press("Escape");
  await ask("What is next? tokens=2");
  await settled();
  expect(lastAsked(near).toString()).not.toContain("Fact 1 is green.\\nThe");
  const remove = page.getByRole("button", { name: "Remove summary" });
  await expect
    .poll(async () => {
      // The line may be closed again when the thread is read again.
      if ((await line.count()) > 0 && !(await remove.isVisible())) await line.click();
      await remove.click({ timeout: 1_000 }).catch(() => {});
      return await line.count();
    })
    .toBe(0);
  await ask("And now? tokens=2");
  await settled();
  expect(lastAsked(near).toString()).toContain("Fact 1 is green.\\nThe");

  await page.getByRole("button", { name: /^Model: / }).click();
  await page.getByRole("menuitem", { name: "Compare models…" }).click();
  const dialog = page.getByRole("dialog", { name: "Compare models" });
  for (const name of [cellar, cloud]) await dialog.getByRole("checkbox", { name: new RegExp(name) }).check();
  await dialog.getByRole("button", { name: "Compare" }).click();
  await ask("Who says more? tokens=5");
  const region = page.getByRole("region", { name: "Answers from several models" });
  for (const name of [cellar, cloud]) await region.getByRole("article", { name }).waitFor();
  await settled();
  await region.getByRole("button", { name: `Choose this answer: ${cloud}` }).click();
  await region.waitFor({ state: "detached" });
  await expectReceipt(page, far, lastAsked(far));
  // The other answer is a version of the same message.
  await answers.last().getByRole("button", { name: "Previous version" }).click();
  await answers.last().getByText(cellar).first().waitFor();
  await expectReceipt(page, near, lastAsked(near));
  await owner.end();
  for (const service of [near, far]) await service.close();
});

/** Opens the receipt of the last answer, and compares it with the body that the provider received for it. */
async function expectReceipt(page: Page, { port }: ModelServer, body: Buffer): Promise<void> {
  await chat(page).answers.last().getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Show what was sent" }).click();
  const dialog = page.getByRole("dialog", { name: "Receipt" });
  const hash = createHash("sha256").update(body).digest("hex");
  await dialog.getByText(hash).waitFor();
  await dialog.getByText(`127.0.0.1:${port}`).first().waitFor();
  await dialog.getByRole("button", { name: "Copy as JSON" }).click();
  const copied = JSON.parse(await page.evaluate(async () => await navigator.clipboard.readText())) as Receipt;
  const request = copied.requests.findLast(({ purpose }) => purpose === "answer")!;
  expect(request).toMatchObject({
    host: `127.0.0.1:${port}`,
    body_bytes: body.length,
    body_sha256: hash,
  });
  const texts = textsOf(JSON.parse(body.toString()) as Json);
  const hashes = new Set(texts.map((text) => createHash("sha256").update(text).digest("base64url")));
  const messages = request.items.filter(({ kind }) => kind === "message");
  expect(messages.length).toBeGreaterThan(6);
  expect(messages.filter(({ sha256 }) => !hashes.has(sha256!))).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

/** All strings in it. */
function textsOf(json: Json): string[] {
  if (typeof json === "string") return [json];
  return typeof json === "object" && json !== null ? Object.values(json).flatMap(textsOf) : [];
}

test("the owner downloads a model to Ollama, cancels another one, and deletes one, on a phone", async () => {
  const ollama = await startModelServer({ models: ["llama3.2"] });
  const owner = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
    width: 390,
  });
  const { page } = owner;
  const name = `Cellar ${newSuffix()}`;
  await page.waitForURL(`${environment.server.url}/`);
  await page.goto(`${environment.server.url}/settings/models/new?kind=ollama`);
  await page.getByText("Name, URL and models").click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Base URL").fill(`http://127.0.0.1:${ollama.port}`);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByText(`${name} is connected.`).waitFor();
  await page.goto(`${environment.server.url}/settings/models`);
  await page.getByRole("link", { name: new RegExp(`^${name}`) }).click();

  const field = page.getByLabel("Name of a model to download");
  const download = async (model: string) => {
    await field.fill(model);
    await page.getByRole("button", { name: "Download" }).click();
  };
  await download("tulip:8b");
  await page.getByRole("button", { name: "Delete tulip:8b" }).waitFor();
  await download("slow:70b");
  await page.getByRole("progressbar", { name: "Download of slow:70b" }).waitFor();
  await page.getByText(/ of [\d.]+ GB$/).waitFor();
  // The download continues while another screen is open.
  await page.getByRole("link", { name: "Models", exact: true }).first().click();
  await page.getByRole("link", { name: new RegExp(`^${name}`) }).click();
  await page.getByRole("button", { name: "Cancel the download of slow:70b" }).click();
  await page.getByRole("progressbar").waitFor({ state: "detached" });
  const pulled = ollama.requests.findLast((request) => request.path === "/api/pull")!;
  await pulled.end;
  expect(pulled.ended).toBe("gone");
  await download("missing");
  await page.getByText("Ollama has no model with this name.").waitFor();
  await page.getByRole("button", { name: "Close the message about missing" }).click();
  await page.getByRole("button", { name: "Delete tulip:8b" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Removed tulip:8b.").waitFor();
  await page.getByRole("button", { name: "Delete tulip:8b" }).waitFor({ state: "detached" });
  expect(ollama.models).toEqual(["llama3.2"]);
  await owner.end();
  await ollama.close();
});

// The last test: servers of providers that are closed slow down the others.
test(
  "the owner adds a provider of each kind on the screen, tests it and talks with it",
  { timeout: 120_000 },
  async () => {
    const owner = await visitAsOwner();
    const { page } = owner;
    for (const [kind, path] of Object.entries(answerPaths) as [ProviderKindId, string][]) {
      const suffix = newSuffix();
      const service = await startModelServer({ apiKey: "sk-1", models: [`${kind}-${suffix}`] });
      await connect(page, kind, service);
      await chooseModel(page, `${kind}-${suffix}`);
      await chat(page).ask(`Say it for ${suffix} tokens=3`);
      await chat(page).answers.last().waitFor();
      await chat(page).settled();
      const asked = async () =>
        service.requests.findLast(({ body }) => JSON.stringify(body ?? {}).includes(`Say it for ${suffix}`));
      await eventually(asked, (request) => expect(request?.path, kind).toBe(path.replace("MODEL", suffix)));
      await service.close();
    }
  },
);
