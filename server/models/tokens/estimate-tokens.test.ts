import { readFile } from "node:fs/promises";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

const english = `The kitchen faces north, so the herbs never did well on the sill. Last spring we moved the basil and
the thyme to the balcony, and bought a second lamp for the shelf above the sink. It cost about forty pounds and uses less
electricity than the old bulb. My sister, who grows tomatoes professionally, said that we water far too often; she was
right. Since then nothing has died, although the parsley bolted twice. Would you write me a plan for September that says
what to sow, when to harvest, and how much space each plant needs? Please keep the quantities small: there are two of us.`;

const arabic = `يقع بيتنا القديم في طرف المدينة، قرب النهر الذي كنا نسبح فيه صغارا. كانت جدتي تزرع النعناع والريحان في
الحديقة الخلفية، وتسقيها كل مساء قبل غروب الشمس. في الصيف الماضي قررنا أن نصلح السقف ونعيد طلاء الجدران، لكن التكلفة كانت
أكبر مما توقعنا. هل يمكنك أن تكتب لي خطة للعمل خلال ثلاثة أشهر، مع قائمة بالمواد اللازمة وأسعارها التقريبية؟ أريد أن أبدأ
بالمطبخ لأنه أكثر الغرف استعمالا، ثم غرفة الجلوس. أخبرني أيضا كيف أختار مقاولا جيدا، وما الأسئلة التي يجب أن أطرحها عليه.`;

const chinese = `我们家住在城市的北边，离河不远。去年春天，我和妹妹在阳台上种了一些番茄和罗勒，但是因为阳光不足，
长得不太好。后来我们买了一盏植物灯，每天开八个小时，情况才有所改善。现在我想请你帮我写一份计划，说明九月份应该种什么、
什么时候收获，以及每种植物需要多大的空间。请注意，我们只有两个人吃饭，所以数量不用太多。另外，我还想知道怎样判断土壤
是否太湿，应该多久浇一次水，冬天要不要把花盆搬到屋里来。谢谢你的建议。`;

describe("the estimate of tokens", async () => {
  const samples = {
    English: english,
    Arabic: arabic,
    Chinese: chinese,
    "English, Arabic and Chinese": english + arabic + chinese,
    TypeScript: await readFile("server/runs/loop/execute-run.ts", "utf8"),
    "TypeScript of tests": await readFile("tests/support/servers/server.ts", "utf8"),
    "SQL in code": await readFile("storage/tables/search/pending-triggers.ts", "utf8"),
    JSON: await readFile("bench/results/many-runs.json", "utf8"),
    Markdown: await readFile("docs/guides/people.md", "utf8"),
    "Arabic in code": await readFile("web/i18n/ar/errors.ts", "utf8"),
  };
  test.for(Object.entries(samples))("is at most 15 % wrong for %s", ([, text]) => {
    expect(estimateTokens(text) / countTokens(text)).toBeGreaterThan(0.85);
    expect(estimateTokens(text) / countTokens(text)).toBeLessThan(1.15);
  });

  test("of any text is a number that does not exceed its length in bytes", () => {
    expect(estimateTokens("")).toBe(0);
    for (const text of ["\ud800", "😀".repeat(10), "\0", "क्षत्रिय", "a".repeat(100_000), " ".repeat(100_000)])
      expect(estimateTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text) + 1);
  });
});
