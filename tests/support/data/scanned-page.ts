import sharp from "sharp";
import { document, line, stream } from "#fixtures/pdf/write.ts";
import { createPdf } from "#server/pdf/pdf.ts";

/** A page with these lines as a scanner makes it: a grey picture (JPEG), a little crooked and blurred. */
export async function scannedPicture(lines: readonly string[]): Promise<Buffer> {
  const content = lines.map((text, at) => line(text, 780 - 22 * at, 13)).join("");
  const pdf = createPdf({ logger: { warn() {} }, processes: 1 });
  const pictures: Uint8Array[] = [];
  const listener = {
    opened() {},
    page: ({ picture }: { picture?: Uint8Array }) => void pictures.push(picture!),
  };
  await pdf.render(document([{ content }]), "png", listener, new AbortController().signal);
  pdf.close();
  const turned = sharp(pictures[0]).rotate(0.6, { background: "white" }).blur(0.6).toColourspace("b-w");
  return await turned.jpeg({ quality: 80 }).toBuffer();
}

/** A PDF without text, with one picture (grey JPEG) on each page. Undefined: a page with the text "Cover". */
export async function scannedPdf(pictures: readonly (Buffer | undefined)[]): Promise<Buffer> {
  const sizes = await Promise.all(
    pictures.map(async (picture) => (picture === undefined ? undefined : await sharp(picture).metadata())),
  );
  const first = 3 + 2 * pictures.length;
  return document(
    pictures.map((picture, at) =>
      picture === undefined
        ? { content: line("Cover") }
        : {
            resources: `<< /XObject << /I ${first + at} 0 R >> >>`,
            content: "q 595 0 0 842 0 0 cm /I Do Q",
          },
    ),
    {
      extra: () =>
        pictures.map((picture, at) =>
          picture === undefined
            ? "null"
            : stream(
                picture,
                `/Type /XObject /Subtype /Image /Width ${sizes[at]!.width} /Height ${sizes[at]!.height} ` +
                  "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode",
              ),
        ),
    },
  );
}
