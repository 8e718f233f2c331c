import { expect, test } from "vitest";
import { startModelServer } from "../../fixtures/model-server/model-server.ts";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });

test("the owner connects a first model, tests it and talks with it; guests see no trace of it", async () => {
  const service = await startModelServer({
    apiKey: "sk-ant-1234",
    models: ["claude-haiku-4-5", "claude-sonnet-4-5"],
  });
  const owner = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
  });
  const { page } = owner;
  await page.waitForURL(`${environment.server.url}/`);
  await page.getByRole("link", { name: "Connect a model" }).click();
  await page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Anthropic" }).click();
  await page.getByRole("heading", { name: "Connect Anthropic" }).waitFor();

  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText("Enter an API key.").waitFor();
  await page.getByLabel("API key").fill("sk-ant-9999");
  await page.getByText("Name, URL and models").click();
  await page.getByLabel("Base URL").fill(service.url);
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText("The model provider rejected the API key.").waitFor();
  await page.getByLabel("API key").fill("sk-ant-1234");
  await page.getByText("The model provider rejected the API key.").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText(/^It works\. claude-haiku-4-5 responded in [\d.]+ s\.$/).waitFor();
  await page.getByText("The provider lists 2 models.").waitFor();

  await page.getByText("Only selected").click();
  await page.getByRole("checkbox", { name: "claude-sonnet-4-5" }).check();
  await page.getByLabel("Display name for claude-sonnet-4-5").fill("Our Sonnet");
  await page.getByLabel("What claude-sonnet-4-5 can do, and its prices").click();
  await page.getByLabel("Context, in tokens").fill("32000");
  await page.getByLabel("Price of input", { exact: true }).fill("3");
  await page.getByText("Enter the price of input and of output.").waitFor();
  await page.getByLabel("Price of output").fill("1,5");
  await page.getByRole("group", { name: "Tools" }).getByRole("checkbox").uncheck();
  await page.getByRole("checkbox", { name: "Can call tools" }).check();
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.waitForURL(`${environment.server.url}/`);
  await page.getByText("Anthropic is connected.").waitFor();
  await chat(page).ask("Say it tokens=4");
  await chat(page).settled();
  expect(service.requests.at(-1)?.path).toBe("/v1/messages");
  expect(service.requests.findLast(({ body }) => body !== undefined)?.body?.["model"]).toBe(
    "claude-sonnet-4-5",
  );

  const guest = await visit(environment.browser, environment.server.url, { path: "/settings/models" });
  await guest.page.getByText("Only administrators can change models").waitFor();
  expect(await guest.page.getByRole("navigation", { name: "Settings" }).getByText("Models").count()).toBe(0);
  await guest.page.goto(environment.server.url);
  await guest.page.getByRole("button", { name: /Our Sonnet/ }).click();
  const sonnet = guest.page.getByRole("menuitemradio", { name: /Our Sonnet/ });
  await sonnet.getByText("32K context · $3 / $1.5 per 1M · claude-sonnet-4-5").waitFor();
  await sonnet.getByRole("img", { name: "Tools" }).waitFor();
  expect(await guest.page.getByRole("link", { name: "Connect a model" }).count()).toBe(0);
  await guest.end();

  await page.goto(`${environment.server.url}/settings/models`);
  await page
    .getByRole("link", { name: /^Anthropic/ })
    .first()
    .click();
  const key = page.getByLabel("API key");
  expect(await key.inputValue()).toBe("");
  expect(await key.getAttribute("placeholder")).toBe("Saved. Ends in 1234.");
  await page.getByLabel("Name", { exact: true }).fill("Claude");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Actions for Claude" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Removed Claude.").waitFor();
  await page.getByText("No models are connected.").waitFor();
  expect(await page.content()).not.toContain("sk-ant-1234");
  await owner.end();
  await service.close();
});

test("connects a suggested model server, and shows a change that another owner made meanwhile", async () => {
  const service = await startModelServer({ models: ["llama3.2", "qwen3"] });
  const owner = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
    // The second change is refused.
    networkErrorsExpected: true,
    prepare: async (context) =>
      await context.route("**/v1/providers/suggestions", async (route) => {
        const suggestions = [
          { kind: "ollama", name: "Ollama", base_url: `http://127.0.0.1:${service.port}`, models: 2 },
          { kind: "openai-compatible", name: "LM Studio", base_url: service.url, models: 2 },
        ];
        await route.fulfill({ json: { suggestions } });
      }),
  });
  const { page } = owner;
  await page.waitForURL(`${environment.server.url}/`);
  await page.goto(`${environment.server.url}/settings/models`);
  for (const name of ["Ollama", "LM Studio"]) {
    await page.getByRole("button", { name: `Add ${name}` }).click();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText(`${name} is connected.`).first().waitFor();
    await page.goto(`${environment.server.url}/settings/models`);
  }
  const link = page.getByRole("link", { name: /^LM Studio/ }).first();
  await link.click();
  const other = await page.context().newPage();
  await other.goto(page.url());
  for (const each of [page, other]) await each.getByLabel("Name", { exact: true }).waitFor();
  await other.getByLabel("Name", { exact: true }).fill("Studio of Ben");
  await other.getByRole("button", { name: "Save" }).click();
  await other
    .getByRole("link", { name: /^Studio of Ben/ })
    .first()
    .waitFor();

  await page.getByLabel("Name", { exact: true }).fill("Studio of Ada");
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByRole("alert")
    .getByText(/changed/)
    .waitFor();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Studio of Ada");
  await page.reload();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Studio of Ben");
  await owner.end();
  await service.close();
});
