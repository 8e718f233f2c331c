import { expect, test } from "vitest";
import { decodeText } from "./texts.ts";

const fromHex = (hex: string) => Buffer.from(hex, "hex");

test.for([
  [
    "Shift-JIS",
    "92eb82cc93a482cd8cdc8c8e82c9904182a682dc82b781428367837d836782cd926782a982a296e982aa954b977682c582b78142",
    "庭の豆は五月に植えます。トマトは暖かい夜が必要です。",
  ],
  [
    "EUC-JP",
    "c4eda4cec6a6a4cfb8deb7eea4cbbfa2a4a8a4dea4b9a1a3a5c8a5dea5c8a4cfc3c8a4aba4a4cceba4acc9accdd7a4c7a4b9a1a3",
    "庭の豆は五月に植えます。トマトは暖かい夜が必要です。",
  ],
  [
    "GBK",
    "bba8d4b0c0efb5c4b6b9d7d3d4dacee5d4c2d6d6d6b2a1a3cef7baeccac1d0e8d2aacec2c5afb5c4d2b9cdeda1a3",
    "花园里的豆子在五月种植。西红柿需要温暖的夜晚。",
  ],
  [
    "Big5",
    "aae1b6e9b8ccaabaa8a7a46ca662a4ada4ebbad8b4d3a143b566ad58bbddad6eb7c5b778aabaa95db1dfa143",
    "花園裡的豆子在五月種植。番茄需要溫暖的夜晚。",
  ],
  [
    "EUC-KR",
    "c1a4bff8c0c720c4e1c0ba20bfc0bff9bfa120bdc9bdc0b4cfb4d92e20c5e4b8b6c5e4b4c220b5fbb6e6c7d120b9e3c0cc20c7cabfe4c7d5b4cfb4d92e",
    "정원의 콩은 오월에 심습니다. 토마토는 따뜻한 밤이 필요합니다.",
  ],
  [
    "windows-1251",
    "c1eee1fb20e220f1e0e4f320f1e0e6e0fef220e220ece0e52e20cfeeece8e4eef0e0ec20edf3e6edfb20f2b8efebfbe520edeef7e82e",
    "Бобы в саду сажают в мае. Помидорам нужны тёплые ночи.",
  ],
  [
    "KOI8-R",
    "e2cfc2d920d720d3c1c4d520d3c1d6c1c0d420d720cdc1c52e20f0cfcdc9c4cfd2c1cd20ced5d6ced920d4a3d0ccd9c520cecfdec92e",
    "Бобы в саду сажают в мае. Помидорам нужны тёплые ночи.",
  ],
  [
    "windows-1256",
    "cad2d1da20c7e1ddc7d5e6e1edc720dded20c7e1cdcfeddec920dded20d4e5d120e3c7ede62e20cacdcac7cc20c7e1d8e3c7d8e320c5e1ec20e1edc7e120cfc7ddc6c92e",
    "تزرع الفاصوليا في الحديقة في شهر مايو. تحتاج الطماطم إلى ليال دافئة.",
  ],
  [
    "windows-1250",
    "46617a6f6c65206e61207a6168726164ec2073652073e17a656aed2076206b76ec746e752e2052616ae861746120706f74f86562756aed207465706ce9206e6f63692e208e6c759d6f75e86bfd206bf9f2",
    "Fazole na zahradě se sázejí v květnu. Rajčata potřebují teplé noci. Žluťoučký kůň",
  ],
  [
    "windows-1252",
    "44696520426565746520696d2047617274656e2073696e642066fc722042f664656e206d697420c47066656c6e20962084736368f66e932e",
    "Die Beete im Garten sind für Böden mit Äpfeln – „schön“.",
  ],
] as const)("decodes %s", ([, hex, text]) => {
  expect(decodeText(fromHex(hex), false)).toBe(text);
  expect(decodeText(Buffer.concat([Buffer.from("id,words\n1,"), fromHex(hex)]), false)).toBe(
    `id,words\n1,${text}`,
  );
});

test("decodes a few Latin-1 letters without other evidence of the encoding", () => {
  expect(decodeText(Buffer.from("caf\xe9", "latin1"), false)).toBe("café");
});

test("decodes UTF-8 with a stray byte", () => {
  const log = Buffer.concat([
    Buffer.from("Größe: 5 µm, größer\n"),
    Buffer.from([0xe9]),
    Buffer.from(" end\n"),
  ]);
  expect(decodeText(log, false)).toBe("Größe: 5 µm, größer\n\ufffd end\n");
});

test("decodes UTF-16 with and without a byte order mark, and drops half a character at the end", () => {
  const words = Buffer.from("bed,metres\nnorth,4.5\n", "utf16le");
  for (const bytes of [words, Buffer.concat([Buffer.from([0xff, 0xfe]), words]), Buffer.from(words).swap16()])
    expect(decodeText(bytes, false)).toBe("bed,metres\nnorth,4.5\n");
  expect(decodeText(Buffer.from("Größe").subarray(0, 4), true)).toBe("Grö".slice(0, 3));
});

test("does not decode bytes with NULs as text", () => {
  expect(decodeText(Buffer.from("GIF\0\0\0\x01 and so on", "latin1"), false)).toBeUndefined();
});
