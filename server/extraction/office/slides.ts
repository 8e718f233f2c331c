import type { Package } from "./package.ts";
import { readParagraphs } from "./paragraphs.ts";
import { relationsOf } from "./relations.ts";
import type { Words } from "./words.ts";
import { readXml } from "./xml.ts";

/** A presentation (`.pptx`): its slides in presentation order, each with its notes. */
export async function readSlides(archive: Package, words: Words): Promise<void> {
  for (const [index, slide] of (await slidesInOrder(archive)).entries()) {
    words.line();
    words.add(`\n--- slide ${index + 1} ---\n`);
    await readParagraphs(archive, slide, words);
    const notes = (await relationsOf(archive, slide)).find(({ type }) => type === "notesSlide");
    if (notes === undefined) continue;
    words.line();
    words.add("Notes: ");
    await readParagraphs(archive, notes.target, words);
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
