import { expect, test } from "vitest";
import { providerKinds, type ProviderKindId } from "#contract/provider-kinds.ts";
import { startModelServer } from "../../fixtures/model-server/model-server.ts";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });

const answerPaths: Record<ProviderKindId, string> = {
  openai: "/v1/responses",
  anthropic: "/v1/messages",
  google: "/v1beta/models/google-mini:streamGenerateContent?alt=sse",
  mistral: "/v1/chat/completions",
  openrouter: "/v1/chat/completions",
  groq: "/v1/chat/completions",
  azure: "/v1/responses",
  ollama: "/v1/chat/completions",
  "openai-compatible": "/v1/chat/completions",
};

test("the owner adds each kind of provider on the screen, tests it and talks with it", async () => {
  const owner = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
  });
  const { page } = owner;
  await page.waitForURL(`${environment.server.url}/`);
  for (const [kind, path] of Object.entries(answerPaths) as [ProviderKindId, string][]) {
    const service = await startModelServer({ apiKey: "sk-1", models: [`${kind}-mini`] });
    const origin = `http://127.0.0.1:${service.port}`;
    await page.goto(`${environment.server.url}/settings/models`);
    const name = kind === "openai-compatible" ? "Other (OpenAI-compatible)" : providerKinds[kind].name;
    await page.getByRole("main").getByRole("link", { name, exact: true }).last().click();
    await page.getByLabel(/^API key/).fill("sk-1");
    const url = page.getByLabel("Base URL");
    if (await url.isHidden()) await page.getByText("Name, URL and models").click();
    await url.fill(kind === "google" ? `${origin}/v1beta` : kind === "ollama" ? origin : `${origin}/v1`);
    await page.getByRole("button", { name: "Test connection" }).click();
    await page.getByText(/^It works\./).waitFor();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page
      .getByText(/ is connected\.$/)
      .first()
      .waitFor();
    await page.goto(environment.server.url);
    await page.getByRole("button", { name: /^Model: / }).click();
    await page
      .getByRole("menuitemradio", { name: new RegExp(kind === "ollama" ? "ollama-mini" : `${kind}-mini`) })
      .click();
    await chat(page).ask(`Say it for ${kind} tokens=3`);
    await chat(page).answers.last().waitFor();
    await chat(page).settled();
    const asked = service.requests.findLast(({ body }) =>
      JSON.stringify(body ?? {}).includes(`Say it for ${kind}`),
    );
    expect(asked?.path, kind).toBe(path);
    await service.close();
  }
  await owner.end();
});

test.each([1280, 390])(
  "the owner downloads a model to Ollama, cancels another one, and deletes one, at %i px",
  async (width) => {
    const ollama = await startModelServer({ models: ["llama3.2"] });
    const owner = await visit(environment.browser, environment.server.url, {
      path: environment.server.ownerLink,
      width,
    });
    const { page } = owner;
    await page.waitForURL(`${environment.server.url}/`);
    await page.goto(`${environment.server.url}/settings/models/new?kind=ollama`);
    await page.getByText("Name, URL and models").click();
    await page.getByLabel("Name", { exact: true }).fill(`Cellar ${width}`);
    await page.getByLabel("Base URL").fill(`http://127.0.0.1:${ollama.port}`);
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText(`Cellar ${width} is connected.`).waitFor();
    await page.goto(`${environment.server.url}/settings/models`);
    await page.getByRole("link", { name: new RegExp(`^Cellar ${width}`) }).click();

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
    await page.getByRole("link", { name: new RegExp(`^Cellar ${width}`) }).click();
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
  },
);
