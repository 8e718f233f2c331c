import { seededBytes } from "#fixtures/pdf/seeded-bytes.ts";
import { document, flated, line, pagesOf } from "#fixtures/pdf/write.ts";
import { createTextGenerator } from "#fixtures/random-text.ts";

const generator = createTextGenerator();

/** Documents of common kinds, the same in every run. */
export const pdfDocuments: { name: string; pages: number; bytes: Buffer }[] = [
  { name: "text", pages: 20, bytes: document(pagesOf(20, () => ({ content: textOf() }))) },
  { name: "drawings", pages: 10, bytes: document(pagesOf(10, (page) => ({ content: drawingOf(page) }))) },
  { name: "photographs", pages: 6, bytes: photographs(6) },
];

/** A full page of text at 10 pt. */
function textOf(): string {
  let content = "";
  for (let row = 0; row < 58; row++) content += line(generator.text(11).slice(0, 90), 790 - row * 12.8, 10);
  return content;
}

/** Lines, areas and captions, as in charts. */
function drawingOf(page: number): string {
  const random = [...seededBytes(`drawing ${page}`, 1_600)];
  let content = "0.5 w\n";
  for (let index = 0; index + 4 < random.length; index += 4) {
    const [x = 0, y = 0, width = 0, shade = 0] = random.slice(index, index + 4);
    content += `${(shade / 255).toFixed(2)} 0.4 0.7 RG ${40 + x * 2} ${40 + y * 3} m ${40 + width * 2} ${40 + shade * 3} l S\n`;
    if (index % 40 === 0)
      content += `0.9 ${(x / 255).toFixed(2)} 0.6 rg ${40 + x * 2} ${40 + y * 3} ${width / 4} ${shade / 6} re f 0 g ${line("Bed", 40 + y * 3, 8)}`;
  }
  return content;
}

/** Gradients with noise, one megapixel per page. */
function photographs(pages: number): Buffer {
  const [width, height] = [1_000, 1_000];
  return document(
    pagesOf(pages, (page) => ({
      resources: `<< /XObject << /I ${2 + 2 * pages + page} 0 R >> >>`,
      content: "q 500 0 0 500 48 200 cm /I Do Q",
    })),
    {
      extra: () =>
        pagesOf(pages).map((_, index) => {
          const grain = seededBytes(`grain ${index}`, 4_096);
          const pixels = Buffer.alloc(width * height * 3);
          for (let at = 0; at < width * height; at++) {
            const [x, y] = [at % width, Math.floor(at / width)];
            const noise = grain[at & 4_095]! >> 4;
            pixels[at * 3] = Math.min(255, (x * 240) / width + noise);
            pixels[at * 3 + 1] = Math.min(255, (y * 240) / height + noise);
            pixels[at * 3 + 2] = Math.min(255, ((x + y + index * 50) % 240) + noise);
          }
          return flated(
            pixels,
            `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8`,
          );
        }),
    },
  );
}
