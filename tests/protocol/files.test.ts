import { describe, expect, test } from "vitest";
import { expectProblem } from "../support/problem.ts";
import { describeServer } from "../support/server.ts";
import { clients, keyCloud } from "./clients.ts";

describeServer("files, which are not kept", { on: ["sqlite"] }, (server) => {
  describe.each(clients)("are refused readably to %s", (_name, client) => {
    test("where one is to be attached, read or turned into images", async () => {
      const { files } = keyCloud(client, server());
      const refused = /keeps no files/;
      await expect(files.generatePresignedUploadUrl({ filename: "garden.png" })).rejects.toThrow(refused);
      await expect(files.pdfToImages({ file_url: "https://example.org/garden.pdf" })).rejects.toThrow(
        refused,
      );
    });
  });

  test("are asked for by one of two names, and not by both", async () => {
    const ada = server().inNewWorkspace();
    for (const body of [{}, { key: "a", url: "b" }])
      expectProblem(await ada.ask("files.download", { body }), "bad-request");
    for (const body of [{}, { file_blob: "a", file_url: "b" }])
      expectProblem(await ada.ask("files.pdfToImages", { body }), "bad-request");
    expectProblem(await ada.ask("files.upload", { body: { filename: "" } }), "bad-request");
    expectProblem(await server().guest.ask("files.upload", { body: { filename: "a" } }), "not-signed-in");
  });
});
