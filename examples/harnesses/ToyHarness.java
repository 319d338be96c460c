// A harness in Java without any library: k-anonymity and distinct l-diversity, and the little JSON that they need.
// Run it with:  tcloseness conform run -- java examples/harnesses/ToyHarness.java

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class ToyHarness {
    public static void main(String[] arguments) throws Exception {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            Map<String, Object> message = object(new Json(line).value());
            if (message.get("cmd").equals("stop")) {
                return;
            }
            if (message.get("cmd").equals("start")) {
                answers.println("{\"version\": 1, \"implementation\": {\"name\": \"toy\", \"version\": \"1\", "
                        + "\"language\": \"Java\"}, \"algorithms\": [\"k-anonymity\", \"distinct-l\"]}");
                continue;
            }
            String reply;
            try {
                reply = "\"result\": " + answer(message);
            } catch (RuntimeException error) {
                String text = error.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ");
                reply = "\"error\": {\"message\": \"" + text + "\"}";
            }
            answers.println("{\"seq\": " + message.get("seq") + ", " + reply + "}");
        }
    }

    /** The worst class over all sensitive attributes; counts are BigInteger, since they can exceed 2^63. */
    static String answer(Map<String, Object> message) {
        Map<String, Object> table = object(message.get("input"));
        Map<String, Object> parameters = object(message.get("parameters"));
        boolean sizes = message.get("algorithm").equals("k-anonymity");
        BigInteger worst = null;
        for (Object sensitive : list(table.get("sensitive"))) {
            for (Map<String, BigInteger> counts : classes(table, sensitive).values()) {
                BigInteger value = sizes
                        ? counts.values().stream().reduce(BigInteger.ZERO, BigInteger::add)
                        : BigInteger.valueOf(counts.size());
                worst = worst == null ? value : worst.min(value);
            }
        }
        BigInteger threshold = new BigInteger((String) parameters.get(sizes ? "k" : "l"));
        return "{\"value\": \"" + worst + "\", \"satisfied\": " + (worst.compareTo(threshold) >= 0) + "}";
    }

    /** The records of each class by sensitive value. */
    static Map<List<String>, Map<String, BigInteger>> classes(Map<String, Object> table, Object sensitive) {
        List<Object> columns = list(table.get("columns"));
        List<Object> types = list(table.get("types"));
        List<Object> rows = list(table.get("rows"));
        Map<List<String>, Map<String, BigInteger>> found = new LinkedHashMap<>();
        for (int i = 0; i < rows.size(); i++) {
            List<Object> row = list(rows.get(i));
            List<String> key = new ArrayList<>();
            for (Object name : list(table.get("quasi_identifiers"))) {
                key.add(cell(row, types, columns.indexOf(name)));
            }
            String value = cell(row, types, columns.indexOf(sensitive));
            Object times = table.containsKey("times") ? list(table.get("times")).get(i) : "1";
            found.computeIfAbsent(key, k -> new HashMap<>()).merge(value, new BigInteger((String) times),
                    BigInteger::add);
        }
        return found;
    }

    /** One text for equal cells: numbers by value (1 and 1.0 are one), a missing value by itself. */
    static String cell(List<Object> row, List<Object> types, int place) {
        String text = (String) row.get(place);
        if (text == null) {
            return "missing";
        }
        if (types.get(place).equals("text")) {
            return "text " + text;
        }
        return "number " + new BigDecimal(text).stripTrailingZeros().toPlainString();
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    /** A reader of JSON: objects, arrays, texts, whole numbers, true, false and null. */
    static class Json {
        private final String text;
        private int at = 0;

        Json(String text) {
            this.text = text;
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return text.charAt(at);
        }

        Object value() {
            char c = next();
            if (c == '{') {
                Map<String, Object> found = new LinkedHashMap<>();
                for (at++; next() != '}'; at += next() == ',' ? 1 : 0) {
                    String name = string();
                    next();
                    at++; // the colon
                    found.put(name, value());
                }
                at++;
                return found;
            }
            if (c == '[') {
                List<Object> found = new ArrayList<>();
                for (at++; next() != ']'; at += next() == ',' ? 1 : 0) {
                    found.add(value());
                }
                at++;
                return found;
            }
            if (c == '"') {
                return string();
            }
            int from = at;
            while (at < text.length() && ",]} \t".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String word = text.substring(from, at);
            return word.equals("null") ? null : word.equals("true") ? (Object) true : word.equals("false") ? false : word;
        }

        private String string() {
            next();
            StringBuilder found = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c == '\\') {
                    c = text.charAt(++at);
                    if (c == 'u') {
                        c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else {
                        int escape = "nrtbf".indexOf(c);
                        c = escape < 0 ? c : "\n\r\t\b\f".charAt(escape);
                    }
                }
                found.append(c);
            }
            at++;
            return found.toString();
        }
    }
}
