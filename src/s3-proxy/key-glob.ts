// Patterns for object keys: `*` is any run of characters, slashes too, `?` is one character, all else is itself. Slashes are
// nothing special in a key, and `*/wal/*` is to find `wal` at any depth. Takes time linear in pattern times key, whatever they are.

/** Whether `pattern` describes all of `key`. */
export const matchesGlob = (pattern: string, key: string): boolean => {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let starTook = 0;
  while (at < key.length) {
    const wanted = pattern[inPattern];
    if (wanted === '*') {
      star = inPattern++;
      starTook = at;
    } else if (wanted === '?' || wanted === key[at]) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++starTook;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
};
