import type { Package } from "./package.ts";
import { relationsOf } from "./relations.ts";
import type { Words } from "./words.ts";
import { readXml } from "./xml.ts";

/** A presentation (`.pptx`): its slides in the order in which they are shown, each with its notes. Answers how many. */
export async function readSlides(archive: Package, words: Words): Promise<number> {
  const slides = await slidesInOrder(archive);
  for (const [index, slide] of slides.entries()) {
    words.line();
    words.add(`\n--- slide ${index + 1} ---\n`);
    await readShapes(archive, slide, words);
    const notes = (await relationsOf(archive, slide)).find(({ type }) => type === "notesSlide");
    if (notes === undefined) continue;
    words.line();
    words.add("Notes: ");
    await readShapes(archive, notes.target, words);
  }
  return slides.length;
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

async function readShapes(archive: Package, part: string, words: Words): Promise<void> {
  let inText = false;
  let cells = 0;
  let skipped = 0;
  await readXml(archive.read(part), {
    open(name, attributes) {
      // A number of the slide, a date: what every slide has.
      const isField = name === "fld" && attributes.get("type") === "slidenum";
      if (isField || name === "Fallback" || skipped > 0) skipped++;
      if (skipped > 0) return;
      if (name === "t") inText = true;
      else if (name === "br") words.add("\n");
      else if (name === "tc") cells++;
    },
    close(name) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      if (name === "t") inText = false;
      else if (name === "p") words.add(cells > 0 ? " " : "\n");
      else if (name === "tc") {
        cells--;
        words.add("| ");
      } else if (name === "tr") words.line();
    },
    text(text) {
      if (inText && skipped === 0) words.add(text);
    },
  });
}
