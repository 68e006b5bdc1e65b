import ai.vespa.models.evaluation.FunctionEvaluator;
import ai.vespa.models.evaluation.Model;
import com.yahoo.component.ComponentId;
import com.yahoo.component.provider.ComponentRegistry;
import com.yahoo.data.access.simple.Value;
import com.yahoo.schema.ApplicationBuilder;
import com.yahoo.schema.Schema;
import com.yahoo.schema.derived.DerivedConfiguration;
import com.yahoo.search.Query;
import com.yahoo.search.Result;
import com.yahoo.search.ranking.GlobalPhaseRanker;
import com.yahoo.search.ranking.RankProfilesEvaluator;
import com.yahoo.search.ranking.RankProfilesEvaluatorFactory;
import com.yahoo.search.result.FeatureData;
import com.yahoo.search.result.Hit;
import com.yahoo.vespa.config.search.RankProfilesConfig;
import com.yahoo.vespa.config.search.core.OnnxModelsConfig;
import com.yahoo.vespa.config.search.core.RankingConstantsConfig;
import com.yahoo.vespa.config.search.core.RankingExpressionsConfig;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Ranks documents by the rank profile of a schema: SCHEMA-FILE PROFILE TABLE RANKINGS, any number of times.
 *
 * The table has a line of rank features, such as attribute(clicks), then lines of query, document and the values of
 * the features, all separated by tabs. Vespa's own compiler reads the schema and its own evaluators compute the phases;
 * only the matching of documents, which is the content node's, is replaced by the table.
 */
public final class VespaRanker {
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < arguments.length; i += 4) rank(List.of(arguments).subList(i, i + 4).toArray(new String[0]));
        System.exit(0);
    }

    private static void rank(String[] arguments) throws Exception {
        String profile = arguments[1];
        List<String> lines = Files.readAllLines(Path.of(arguments[2]));
        ApplicationBuilder application = ApplicationBuilder.createFromString(Files.readString(Path.of(arguments[0])));
        Schema schema = application.getSchema();
        RankProfilesConfig.Builder builder = new RankProfilesConfig.Builder();
        new DerivedConfiguration(schema, application.getRankProfileRegistry())
            .getRankProfileList().getRankProfilesConfig().forEach(builder::rankprofile);
        RankProfilesConfig config = builder.build();
        RankProfilesEvaluator evaluator = new RankProfilesEvaluator(
            config, new RankingConstantsConfig.Builder().build(), new RankingExpressionsConfig.Builder().build(),
            new OnnxModelsConfig.Builder().build(), null, null);
        ComponentRegistry<RankProfilesEvaluator> registry = new ComponentRegistry<>();
        registry.register(new ComponentId("ranking-expression-evaluator." + schema.getName()), evaluator);
        GlobalPhaseRanker globalPhase = new GlobalPhaseRanker(new RankProfilesEvaluatorFactory(registry));

        List<String> matchFeatures = new ArrayList<>();  // what content nodes send for the global phase
        for (var each : config.rankprofile())
            if (each.name().equals(profile))
                for (var property : each.fef().property())
                    if (property.name().equals("vespa.match.feature")) matchFeatures.add(property.value());
        Model model = evaluator.modelForRankProfile(profile);

        String[] features = lines.get(0).split("\t");
        Map<String, Result> results = new LinkedHashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split("\t");
            Map<String, Double> values = new LinkedHashMap<>();
            for (int i = 0; i < features.length; i++) values.put(features[i], Double.parseDouble(cells[i + 2]));
            Hit hit = new Hit(cells[1], evaluated(model, "firstphase", values));
            Value.ObjectValue sent = new Value.ObjectValue();
            for (String name : matchFeatures) {
                String function = name.replaceFirst("^rankingExpression\\((.*)\\)$", "$1");
                Double value = values.get(name);
                sent.put(name, value != null ? value : evaluated(model, function, values));
            }
            hit.setField("matchfeatures", new FeatureData(sent));
            results.computeIfAbsent(cells[0], query -> new Result(query(profile))).hits().add(hit);
        }
        try (PrintStream output = new PrintStream(arguments[3])) {
            for (var entry : results.entrySet()) {
                Result result = entry.getValue();
                globalPhase.rerankHits(result.getQuery(), result, schema.getName());
                result.hits().sort();
                for (Hit hit : result.hits().asList())
                    output.println(entry.getKey() + "\t" + hit.getId() + "\t" + hit.getRelevance().getScore());
            }
        }
    }

    private static Query query(String profile) {
        Query query = new Query("?query=all");
        query.getRanking().setProfile(profile);
        return query;
    }

    private static double evaluated(Model model, String function, Map<String, Double> values) {
        FunctionEvaluator evaluator = model.evaluatorOf(function);
        for (String argument : evaluator.function().argumentTypes().keySet())
            if (values.containsKey(argument)) evaluator.bind(argument, values.get(argument));
        return evaluator.evaluate().asDouble();
    }
}
