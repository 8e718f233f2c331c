import type { Situation } from "./connect.ts";

/** `connect.ts` for who asks in Arabic. */

/** Ends a sentence that says what takes a language model. */
export function lackInArabic({ connected }: Situation): string {
  return connected === undefined ? "ولا نموذج موصول هنا" : "والمساعد المدمج ليس نموذجًا لغويًا";
}

export function remedyInArabic({ connected }: Situation, told: boolean): string {
  if (connected !== undefined) return `اختر **${connected}** نموذجًا، ثم اسأل مرة أخرى.`;
  return told ? howToConnectShort : howToConnect;
}

const howToConnect = `لوصل نموذج، يستطيع من يشغّل هذا الخادم أن يفعل أحد هذين:

- **أي خدمة أو خادم محلي متوافق مع OpenAI:** ضع عنوانه في \`.env\` ثم أعد التشغيل:

  \`\`\`sh
  OPENAI_BASE_URL=https://api.openai.com/v1
  OPENAI_API_KEY=…   # حيث تطلب الخدمة مفتاحًا
  OPENAI_MODEL=…     # وإلا فأول نموذج تذكره
  \`\`\`

- **برنامج Ollama على هذا الجهاز:** شغّله ونزّل نموذجًا، مثل \`ollama pull llama3.2\`. يُعثر عليه تلقائيًا خلال نحو عشر ثوانٍ؛ ثم اسأل مرة أخرى.`;

const howToConnectShort =
  "اضبط `OPENAI_BASE_URL` (وعند الحاجة `OPENAI_API_KEY` و`OPENAI_MODEL`) في `.env` وأعد التشغيل، أو شغّل Ollama على هذا الجهاز ثم اسأل مرة أخرى.";

export function whatICanDoInArabic({ looksBack }: Situation): string {
  return `أستطيع أن أحسب بدقة، بالأدوات نفسها التي يستعملها نموذج لغوي هنا:

- **الحساب:** \`12 * (3 + 4)^2\`
- **النسب المئوية:** *كم 15% من 240؟*
- **الوحدات:** *10 أميال بالكيلومتر*
- **التواريخ:** *كم يومًا بقي حتى 25 ديسمبر؟*${looksBack ? lookingBack : ""}

وتُجاب الأسئلة معًا إذا كان كل منها في سطر.`;
}

const lookingBack = `
- **محادثاتك:** *عمّ تحدثنا أمس؟* و*ماذا قلت عن الكوخ؟* و*لخّص محادثتي الأخيرة*؛ وتقتبس الإجابة المواضع مع روابط تفتحها`;

/** What was worked out, and what stands beside it in the message: `topic` names what only a model could answer. */
export function restInArabic(
  worked: { list: string; count: number; leftOut: number; topic: string | undefined },
  { situation, told }: { situation: Situation; told: boolean },
): string {
  const { list, count, leftOut, topic } = worked;
  const said =
    leftOut === 0 ? list : `${list}\n\nأجيب عن ${count} في كل مرة؛ اسأل عن الباقي (${leftOut}) مرة أخرى.`;
  if (topic === undefined) return said;
  return `${said}\n\nأما بقية رسالتك (*${topic}*) فلنموذج لغوي، ${lackInArabic(situation)}. ${remedyInArabic(situation, told)}`;
}

/** What went wrong with a call, by what the tool says of it in English. `about` comes ready for Markdown. */
export function failureInArabic(about: string, says: string): string {
  const [, why] = reasons.find(([pattern]) => pattern.test(says)) ?? reasons.at(-1)!;
  return `تعذّر حساب *${about}*. ${why}`;
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/too large, or something was divided by zero/, "الناتج أكبر من أن يُعرض، أو فيه قسمة على صفر."],
  [/not a date/, "لا يُقرأ هذا تاريخًا؛ اكتبه مثل 2027-06-01."],
  [/too l(?:ong|arge)|too many/, "هذا أكبر من أن يُحسب مرة واحدة؛ اسأل عنه على أجزاء."],
  [/[Uu]nits? do(?:es)? not match/, "لا تُحوَّل هاتان الوحدتان إحداهما إلى الأخرى."],
  [/percentage or a remainder/, "قد تعني علامة % هنا نسبة أو باقي قسمة؛ ضع النسبة بين قوسين."],
  [/[\s\S]/, "لا يُقرأ هذا حسابًا."],
];
