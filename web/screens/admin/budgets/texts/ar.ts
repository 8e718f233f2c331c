import type { Translation } from "#web/i18n/translation.ts";
import type { texts as english } from "./en.ts";

export const texts = {
  "budgets.about":
    "كم من الرموز أو من المال يجوز للناس استخدامه في اليوم والشهر، بتوقيت UTC. يُنبَّهون عند 80٪. حين تنفد الميزانية لا يمكنهم إرسال رسائل حتى تتجدد. الإجابة التي بدأت تكتمل وتُحسب، لذا قد تُتجاوز الميزانية بنحو إجابة واحدة.",
  "budgets.aboutMoney":
    "تُحسب العناوين والملخصات أيضًا. الطلبات إلى نماذج لا يُعرف سعرها لا تكلّف شيئًا هنا، فحدِّد لها الرموز.",
  "budgets.loading": "يجري تحميل الميزانيات",
  "budgets.failed": "تعذّر تحميل الميزانيات",
  "budgets.perPerson": "كل شخص",
  "budgets.everyone": "الجميع",
  "budgets.owner": "المالك",
  "budgets.admin": "المديرون",
  "budgets.member": "الأعضاء",
  "budgets.guest": "الضيوف",
  "budgets.app": "مستخدمو التطبيقات",
  "budgets.unlimited": "بلا حد",
  "budgets.asEveryone": "مثل الجميع",
  "budgets.own": "المجموعات والأفراد",
  "budgets.ownAbout":
    "يتقاسم أعضاء المجموعة ميزانيتها، إضافةً إلى ميزانياتهم. ميزانية الفرد تحل محل ميزانية دوره.",
  "budgets.find": "ابحث عن مجموعة أو شخص",
  "budgets.noneOwn": "ليست لأي مجموعة أو شخص ميزانية خاصة. ابحث عمّن تريد لتحديدها.",
  "budgets.group": "مجموعة",
  "budgets.without": "بلا ميزانية خاصة",
  "budgets.add": "حدِّد ميزانية",
  "budgets.addNamed": "حدِّد ميزانية لـ {name}",
  "budgets.budgetOf": "الميزانية: {name}",
  "budgets.everyoneAbout":
    "لكل شخص ليست لدوره ميزانية، بمن فيهم الضيوف والمديرون وأنت. اترك الحقل فارغًا إن لم ترد حدًّا.",
  "budgets.insteadAbout": "لكل واحد منهم، بدلًا من ميزانية الجميع. من دون أي حد يكونون معفَين.",
  "budgets.personAbout": "بدلًا من ميزانية دوره. من دون أي حد يكون معفًى.",
  "budgets.appAbout":
    "لكل مستخدم يسمّيه تطبيق بمفتاح API أو برمز. الطلبات بلا مستخدم تُحسب كواحد. من دون أي حد يكونون معفَين.",
  "budgets.groupAbout":
    "لجميع الأعضاء معًا، بما في ذلك ما استخدموه قبل انضمامهم. اترك الحقل فارغًا إن لم ترد حدًّا.",
  "budgets.guestsAbout":
    "يتقاسم جميع الضيوف هذه الميزانية، إضافةً إلى ميزانية كل ضيف. لا تجددها جلسة ضيف جديدة. ويتقاسم الزوار المجهولون لتطبيق ميزانية ذلك التطبيق. اترك الحقل فارغًا إن لم ترد حدًّا.",
  "budgets.tokensPerDay": "الرموز في اليوم",
  "budgets.tokensPerMonth": "الرموز في الشهر",
  "budgets.usdPerDay": "الدولارات في اليوم",
  "budgets.usdPerMonth": "الدولارات في الشهر",
  "budgets.noLimit": "بلا حد",
  "budgets.wrongUsd": "أدخل مبلغًا من 0.01 دولار إلى {max}.",
  "budgets.remove": "أزل الميزانية",
  "budgets.inherit": "أزل الميزانية الخاصة",
  "budgets.tokensDay": "{amount} من الرموز في اليوم",
  "budgets.tokensMonth": "{amount} من الرموز في الشهر",
  "budgets.usdDay": "{amount} في اليوم",
  "budgets.usdMonth": "{amount} في الشهر",
  "budgets.usedTokensDay": "{used} من {amount} من الرموز اليوم",
  "budgets.usedTokensMonth": "{used} من {amount} من الرموز هذا الشهر",
  "budgets.usedUsdDay": "{used} من {amount} اليوم",
  "budgets.usedUsdMonth": "{used} من {amount} هذا الشهر",
} as const satisfies Translation<typeof english, "one" | "two" | "few">;
