import { expect } from "vitest";
import { garden } from "#fixtures/office/documents.ts";
import { document as pdfOf, line } from "#fixtures/pdf/write.ts";
import { attach, gardenPng } from "../support/data/files.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const read = async (who: Visitor, file_id: string) => await who.call("files.text", { params: { file_id } });

describeServer("the text of a file", {}, (server) => {
  test("is what models get of a document, with the size of the file", async ({ ada }) => {
    const plan = garden("docx");
    const { file_id } = await attach(ada, "plan.docx", plan);
    const found = await read(ada, file_id);
    expect(found).toMatchObject({ size_bytes: plan.length, complete: true, reason: null });
    expect(found.type).toContain("wordprocessingml");
    expect(found.text).toContain("# The garden in spring\nTomatoes need warm nights.");
    const pages = pdfOf([{ content: line("Roses") }, { content: line("Beans") }]);
    expect((await read(ada, (await attach(ada, "beds.pdf", pages)).file_id)).text).toBe("Roses\fBeans");
  });

  test("is absent for a picture, an unknown type and a damaged document, with the reason", async () => {
    const ada = server().inNewWorkspace();
    for (const [name, bytes, reason] of [
      ["garden.png", gardenPng, "kind"],
      ["seeds.bin", Buffer.alloc(2_000, 7), "kind"],
      ["plan.docx", garden("docx").subarray(0, 2_000), "damaged"],
    ] as const) {
      const found = await read(ada, (await attach(ada, name, bytes)).file_id);
      expect(found, name).toMatchObject({ size_bytes: bytes.length, text: null, complete: false, reason });
    }
  });
});
