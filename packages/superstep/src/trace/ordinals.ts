const words = [
  "first",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
];

/** "first", ... "tenth", "11th", "21st", ... */
export function englishOrdinal(n: number): string {
  const word = words[n - 1];
  if (word !== undefined) return word;
  const teen = n % 100 >= 11 && n % 100 <= 13;
  const ending = teen ? undefined : ["st", "nd", "rd"][(n % 10) - 1];
  return `${n}${ending ?? "th"}`;
}

const digits = "零一二三四五六七八九";
const units = ["", "十", "百", "千"];
const groups = ["", "万", "亿", "万亿"];

/** A whole number in Chinese: 十一, 二十, 一百零五, 一万零二十. */
export function chineseNumeral(n: number): string {
  if (n === 0) return "零";
  let text = "";
  let rest = n;
  for (let group = 0; rest > 0; group++) {
    const four = rest % 10_000;
    rest = Math.floor(rest / 10_000);
    if (four === 0) {
      if (text !== "" && !text.startsWith("零")) text = `零${text}`;
      continue;
    }
    // A gap of zeros, within a group or before it, is said once.
    const gap = rest > 0 && four < 1000 ? "零" : "";
    text = gap + underTenThousand(four) + groups[group] + text;
  }
  return text.replace(/^一十/, "十");
}

function underTenThousand(n: number): string {
  let text = "";
  for (const [place, digit] of Array.from(String(n)).toReversed().entries()) {
    if (digit !== "0") text = digits[Number(digit)]! + units[place]! + text;
    else if (text !== "" && !text.startsWith("零")) text = `零${text}`;
  }
  return text;
}
