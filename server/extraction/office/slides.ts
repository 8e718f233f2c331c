import type { Package } from "./package.ts";
import { readParagraphs } from "./paragraphs.ts";
import { relationsOf } from "./relations.ts";
import type { TextBuffer } from "./text-buffer.ts";
import { readXml } from "./xml.ts";

/** A presentation (`.pptx`): its slides in presentation order, each with its notes. */
export async function readSlides(archive: Package, buffer: TextBuffer): Promise<void> {
  for (const [index, slide] of (await slidesInOrder(archive)).entries()) {
    buffer.newLine();
    buffer.add(`\n--- slide ${index + 1} ---\n`);
    await readParagraphs(archive, slide, buffer);
    const notes = (await relationsOf(archive, slide)).find(({ type }) => type === "notesSlide");
    if (notes === undefined) continue;
    buffer.newLine();
    buffer.add("Notes: ");
    await readParagraphs(archive, notes.target, buffer);
  }
}

async function slidesInOrder(archive: Package): Promise<string[]> {
  const part = "ppt/presentation.xml";
  const relations = await relationsOf(archive, part);
  const slides: string[] = [];
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name !== "sldId") return;
      const slide = relations.find(({ id, type }) => type === "slide" && id === attributes.get("id"));
      if (slide !== undefined) slides.push(slide.target);
    },
  });
  return slides;
}
