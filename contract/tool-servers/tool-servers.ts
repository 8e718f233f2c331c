import type { NounFacts } from "../facts/noun-facts.ts";

/** How a tool server is reached. `command`: a process that the operator's configuration names. */
export const toolServerTransports = ["http", "sse", "command"] as const;

/** Servers with tools, which assistants call by the Model Context Protocol (MCP). */
export const toolServers = {
  chapters: {
    toolServers: {
      title: "Tool servers",
      description:
        "Servers with tools, which assistants call by the Model Context Protocol (MCP): those that administrators add for everybody or for groups, and those that people add for themselves. Servers that run as a process of this machine are only in the operator's configuration (`TOOL_SERVERS_FILE`).",
    },
  },
  ids: { tool_server: "mcp_0" },
  limits: {},
  // The screens of tool servers, which load later, have their own texts for all of these.
  errors: {
    "403, other clients": {
      "tool-server-private": {
        en: "Only the owner can add this server.",
        ar: "لا يستطيع إلا المالك إضافة هذا الخادم.",
      },
    },
    "404, other clients": {
      "tool-server-not-found": {
        en: "This tool server doesn’t exist.",
        ar: "خادم الأدوات هذا غير موجود.",
      },
    },
    "409, other clients": {
      "too-many-tool-servers": {
        en: "You’ve reached the limit of tool servers.",
        ar: "بلغت حد خوادم الأدوات.",
      },
      "tool-server-needs-sign-in": {
        en: "Sign in to this tool server first.",
        ar: "سجّل الدخول إلى خادم الأدوات هذا أولًا.",
      },
      "tool-server-without-sign-in": {
        en: "This tool server has no sign-in that can be used here.",
        ar: "ليس في خادم الأدوات هذا تسجيل دخول يمكن استعماله هنا.",
      },
      "tool-server-sign-in-moved": {
        en: "This tool server now sends people to another sign-in server. Ask the person who added it to check that and to save it again.",
        ar: "صار خادم الأدوات هذا يرسل الناس إلى خادم آخر لتسجيل الدخول. اطلب ممن أضافه أن يتحقق من ذلك ويحفظه من جديد.",
      },
    },
    "502, retry, expected, other clients": {
      "tool-server-unreachable": {
        en: "Can’t reach this tool server. Try again, or check its URL.",
        ar: "يتعذر الوصول إلى خادم الأدوات هذا. أعد المحاولة أو تحقق من عنوانه.",
      },
      "tool-server-failed": {
        en: "This tool server doesn’t answer as it should. Check its URL and its transport.",
        ar: "لا يجيب خادم الأدوات هذا كما ينبغي. تحقق من عنوانه وطريقة الاتصال به.",
      },
    },
    "502, expected, other clients": {
      "tool-server-refused": {
        en: "This tool server refused the key. Enter it again.",
        ar: "رفض خادم الأدوات هذا المفتاح. أدخله من جديد.",
      },
    },
  },
  changes: ["toolServers-put"],
  auditActions: [
    "tool-server-added",
    "tool-server-changed",
    "tool-server-removed",
    "tool-server-signed-in",
    "tool-server-signed-out",
  ],
} as const satisfies NounFacts;
