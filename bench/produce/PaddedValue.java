// VerifiableProducer's values are short integers. This pads each to the size that the others send, so that all of them move the
// same bytes. The size is the setting `padded.value.bytes`.
import java.util.Arrays;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

public class PaddedValue implements ProducerInterceptor<String, String> {
    private String padding = "";

    @Override
    public void configure(Map<String, ?> settings) {
        char[] characters = new char[Integer.parseInt(settings.get("padded.value.bytes").toString())];
        Arrays.fill(characters, '.');
        padding = new String(characters);
    }

    @Override
    public ProducerRecord<String, String> onSend(ProducerRecord<String, String> given) {
        String value = given.value() + padding.substring(given.value().length());
        return new ProducerRecord<>(given.topic(), given.partition(), given.timestamp(), given.key(), value, given.headers());
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

    @Override
    public void close() {}
}
